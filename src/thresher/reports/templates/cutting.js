// What a cleaner keeps of a page, as thresher.scores.cutting.sentence_mask has it; and names, as thresher.cleaners.cleaner.
const cutting = (() => {
  const LARGEST = 3.4028234663852886e38; // of 32-bit floats
  const LAST = 100 - 2 ** -46; // the largest number below 100

  const bytes = (base64) => Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0)).buffer;
  const decode = (page) => {
    const block = new Int32Array(bytes(page.block));
    const heading = Uint8Array.from(new Int8Array(bytes(page.levels)), (level) => (level > 0 ? 1 : 0));
    const scores = {};
    for (const [name, values] of Object.entries(page.scores)) scores[name] = new Float32Array(bytes(values));
    return { ...page, block, heading, words: new Int32Array(bytes(page.words)), scores, orders: new Map() };
  };

  const always = (page, cut, block) => cut.headings === "headline" ? block === page.headline : cut.headings === "keep" && page.heading[block];
  const bestFirst = (page, scorer, cut, before) => {
    const scores = page.scores[scorer.name];
    const count = scores.length;
    const ofBlocks = scorer.segment === "block";
    const headingAt = ofBlocks ? (index) => page.heading[index] : (index) => page.heading[page.block[index]];
    const words = new Float64Array(count);
    for (let index = 0; index < page.block.length; index++) {
      const place = ofBlocks ? page.block[index] : index;
      if (before[index] && !(cut.headings === "drop" && headingAt(place))) words[place] += page.words[index];
    }
    const bad = (index) => (scorer.keep === "high" ? -scores[index] : scores[index]);
    const rank = (index) => (always(page, cut, ofBlocks ? index : page.block[index]) ? 0 : 1);
    const compare = (one, other) => {
      if (rank(one) !== rank(other)) return rank(one) - rank(other);
      const [first, second] = [bad(one), bad(other)];
      if (Number.isNaN(first) || Number.isNaN(second)) {
        if (Number.isNaN(first) !== Number.isNaN(second)) return Number.isNaN(first) ? 1 : -1;
      } else if (first !== second) {
        return first < second ? -1 : 1;
      }
      return scorer.decides ? words[other] - words[one] : 0;
    };
    const key = `${scorer.name} ${cut.headings}`;
    let order = scorer.decides ? undefined : page.orders.get(key);
    if (!order) {
      order = Array.from({ length: count }, (_, index) => index).sort(compare);
      if (!scorer.decides) page.orders.set(key, order);
    }
    const wordsBefore = new Float64Array(count);
    let reached = 0;
    for (const index of order) {
      wordsBefore[index] = reached;
      reached += words[index];
    }
    return { wordsBefore, all: reached, bad, headingAt };
  };

  const keptByCut = (page, scorer, cut, before) => {
    const scores = page.scores[scorer.name];
    const kept = new Uint8Array(scores.length);
    const order = cut.quota || cut.floor ? bestFirst(page, scorer, cut, before) : null;
    if (cut.quota) {
      for (let index = 0; index < kept.length; index++) {
        const share = Math.min((100 * order.wordsBefore[index]) / Math.max(order.all, 1), LAST);
        kept[index] = order.bad(index) < Infinity && share < cut.cutoff ? 1 : 0;
      }
    } else {
      const cutoff = Math.fround(Math.min(Math.max(cut.cutoff, -LARGEST), LARGEST));
      const high = scorer.keep === "high";
      for (let index = 0; index < kept.length; index++) kept[index] = (high ? scores[index] >= cutoff : scores[index] <= cutoff) ? 1 : 0;
    }
    const ofBlocks = scorer.segment === "block";
    const mask = new Uint8Array(before.length);
    for (let index = 0; index < mask.length; index++) {
      const place = ofBlocks ? page.block[index] : index;
      const heading = page.heading[page.block[index]];
      let stays = kept[place] || always(page, cut, page.block[index]);
      if (cut.headings === "drop" && heading) stays = 0;
      if (cut.floor && order.wordsBefore[place] < cut.floor && !(cut.headings === "drop" && heading)) stays = 1;
      mask[index] = stays && before[index] ? 1 : 0;
    }
    return mask;
  };

  // One byte for each sentence: whether all cuts keep it.
  const mask = (page, scorers, cuts) =>
    cuts.reduce((before, cut) => keptByCut(page, scorers[cut.scorer], cut, before), new Uint8Array(page.block.length).fill(1));

  const keptText = (page, kept) => {
    if (kept.every(Boolean)) return page.sentences.join("");
    const runs = [];
    kept.forEach((stays, index) => {
      if (!stays) return;
      if (index && kept[index - 1]) runs[runs.length - 1].text += page.sentences[index];
      else runs.push({ text: page.sentences[index], block: page.block[index] });
      runs[runs.length - 1].last = page.block[index];
    });
    let text = "";
    runs.forEach((run, number) => {
      if (number) text += run.block === runs[number - 1].last ? " " : "\n";
      text += run.text.replace(/[ \n]+$/, "");
    });
    return text;
  };

  // Python prints numbers so: all digits of whole ones, exponents of two digits.
  const printed = (value) => {
    if (Number.isInteger(value)) return BigInt(value).toString();
    const shortest = Math.abs(value) < 1e-4 ? value.toExponential() : String(value);
    return shortest.replace(/e([+-])(\d)$/, "e$10$2");
  };

  const name = (scorers, cuts) => {
    const parts = cuts.map((cut) => {
      const scorer = scorers[cut.scorer];
      const open = scorer.name.indexOf("(");
      const inside = open < 0 ? [] : [scorer.name.slice(open + 1, -1)];
      if (cut.headings !== "score" || scorer.headings !== "score") inside.push(`headings=${cut.headings}`);
      if (cut.floor) inside.push(`floor=${cut.floor}`);
      const begin = open < 0 ? scorer.name : scorer.name.slice(0, open);
      const whole = inside.length ? `${begin}(${inside.join(",")})` : begin;
      return scorer.decides ? whole : `${whole}@${cut.quota ? "doc" : ""}${printed(cut.cutoff)}`;
    });
    return parts.join("+") || "none";
  };

  // The shortest decimals that are the same 32-bit number.
  const shortest = (score) => {
    for (let digits = 1; digits < 9; digits++) {
      const rounded = Number(score.toPrecision(digits));
      if (Math.fround(rounded) === score) return rounded;
    }
    return score;
  };

  // Cutoffs that each keep something else, from the one that keeps most: the page's scores.
  const steps = (page, scorer) => {
    const finite = [...new Set(page.scores[scorer.name])].filter(Number.isFinite).map(shortest);
    const allowed = finite.filter((score) => score >= (scorer.low ?? -Infinity) && score <= (scorer.high ?? Infinity));
    return allowed.sort((one, other) => (scorer.keep === "high" ? one - other : other - one));
  };

  return { decode, mask, keptText, name, printed, shortest, steps };
})();
