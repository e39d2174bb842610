"""Paragraphs in languages of several scripts, long enough for jusText's rules."""

from __future__ import annotations

PARAGRAPHS = {
    "English": "The river rises in the hills to the north of the town and flows "
    "past the old mill, which was built by the "
    "monks and has been used as a school since the end of the war. "
    "In the spring the water is so high that it floods the "
    "road, and the people who live on the other side have to go by boat if they want to get to the market.",
    "German": "Der Fluss entspringt in den Hügeln im Norden der Stadt und fließt "
    "an der alten Mühle vorbei, die von den "
    "Mönchen gebaut wurde und seit dem Ende des Krieges als Schule "
    "genutzt wird. Im Frühling ist das Wasser so hoch, dass "
    "es die Straße überflutet, und die Leute auf der anderen Seite müssen mit dem Boot zum Markt fahren.",
    "Portuguese": "O rio nasce nas colinas ao norte da cidade e passa pelo velho "
    "moinho, que foi construído pelos monges e é "
    "usado como escola desde o fim da guerra. Na primavera a água sobe "
    "tanto que não se pode andar pela estrada, e as "
    "pessoas que vivem do outro lado têm de ir de barco para o mercado com os seus filhos.",
    "Finnish": "Joki saa alkunsa kaupungin pohjoispuolella olevista kukkuloista "
    "ja virtaa vanhan myllyn ohi, joka on ollut "
    "kouluna sodan jälkeen. Keväällä vesi on niin korkealla, että se "
    "peittää tien, ja ne ihmiset, jotka asuvat toisella "
    "puolella, joutuvat menemään veneellä, kun he haluavat päästä torille. Myös sillan yli ei voi silloin kulkea.",
    "Vietnamese": "Con sông bắt nguồn từ những ngọn đồi ở phía bắc của thành phố "
    "và chảy qua nhà máy cũ, được các nhà sư xây "
    "dựng và là trường học từ khi chiến tranh kết thúc. Vào mùa xuân "
    "nước lên cao đến mức không có ai đi được trên đường, "
    "và những người sống ở bên kia phải đi bằng thuyền để đến chợ của thành phố này.",
    "Russian": "Река начинается в холмах к северу от города и течёт мимо старой "
    "мельницы, которая была построена монахами и "
    "после войны стала школой. Весной вода поднимается так высоко, "
    "что по дороге нельзя пройти, и люди, которые живут на "
    "другой стороне, должны ехать на рынок на лодке, если они хотят что-то купить или продать.",
    "Ukrainian": "Річка починається на пагорбах на північ від міста і тече повз "
    "старий млин, який був побудований ченцями і "
    "після війни став школою. Навесні вода піднімається так високо, "
    "що дорогою не можна пройти, і люди, які живуть на "
    "іншому боці, мають їхати на ринок човном, якщо вони хочуть щось купити або продати.",
    "Greek": "Το ποτάμι πηγάζει από τους λόφους στα βόρεια της πόλης και περνά "
    "δίπλα από τον παλιό μύλο, που χτίστηκε από "
    "τους μοναχούς και μετά τον πόλεμο έγινε σχολείο. Την άνοιξη το "
    "νερό ανεβαίνει τόσο πολύ που δεν μπορεί να περάσει "
    "κανείς από τον δρόμο.",
    "Arabic": "ينبع النهر من التلال في شمال المدينة ويمر بجانب الطاحونة القديمة "
    "التي بناها الرهبان وأصبحت بعد نهاية الحرب "
    "مدرسة. وفي الربيع يرتفع الماء إلى حد لا يمكن معه السير على الطريق، "
    "ولا بد أن يذهب الناس الذين يعيشون على الجانب الآخر "
    "من النهر إلى السوق في قارب، وكان ذلك منذ عام أو أكثر من عام.",
    "Persian": "رودخانه از تپه‌های شمال شهر سرچشمه می‌گیرد و از کنار آسیاب قدیمی "
    "می‌گذرد که راهبان آن را ساخته‌اند و پس از جنگ "
    "به مدرسه تبدیل شده است. در بهار آب آنقدر بالا می‌آید که از جاده "
    "نمی‌توان گذشت و مردمی که در آن سوی رودخانه زندگی می‌کنند "
    "باید با قایق به بازار بروند تا چیزی را که می‌خواهند برای خود بخرند.",
    "Hindi": "नदी शहर के उत्तर की पहाड़ियों से निकलती है और उस पुरानी चक्की "
    "के पास से बहती है जो भिक्षुओं ने बनाई थी और युद्ध के बाद से एक "
    ""
    "स्कूल है। वसंत में पानी इतना ऊपर आ जाता है कि सड़क पर चलना नहीं "
    "हो सकता और जो लोग दूसरी ओर रहते हैं उन को नाव से बाज़ार जाना होता "
    "है।",
    "Korean": "강은 도시 북쪽의 언덕에서 시작하여 수도사들이 지은 오래된 방앗"
    "간을 지나 흐르며, 그 방앗간은 전쟁이 끝난 뒤부터 학교로 쓰이고 "
    "있다. 봄에는 "
    "물이 아주 높아져서 길을 걸을 수 없고, 건너편에 사는 사람들은 배를 타고 시장에 가야 한다.",
    "Chinese": "这条河发源于城市北面的山丘，流经修士们建造的老磨坊，战争结束以"
    "后那里一直是一所学校。春天水位很高，道路会被淹没，住在对岸的人"
    "们如果想去市场，"
    "就只能坐船。夏天河水又浅又清，孩子们在岸边玩耍，老人们坐在树下谈论往事。",
    "Japanese": "この川は町の北にある丘から流れ出し、修道士たちが建てた古い水車"
    "小屋のそばを通る。その小屋は戦争が終わってから学校として使われ"
    "ている。春には水が"
    "とても高くなって道を歩くことができず、向こう岸に住む人々は舟で市場に行かなければならない。",
    "Thai": "แม่น้ำสายนี้ไหลมาจากเนินเขาทางเหนือของเมืองและผ่านโรงสีเก่าที่"
    "พระสร้างไว้ซึ่งใช้เป็นโรงเรียนมาตั้งแต่สงครามสิ้นสุดลง ในฤดูใ"
    "บไม้ผลิน้ำสูงมาก"
    "จนเดินบนถนนไม่ได้และคนที่อยู่อีกฝั่งหนึ่งต้องนั่งเรือไปตลาด",
    "Amharic": "ወንዙ ከከተማው በስተሰሜን ካሉት ኮረብታዎች ይነሳና መነኮሳት የሠሩትን አሮጌ ወፍጮ አልፎ ይፈሳል። ከጦርነቱ ፍጻሜ ጀምሮ ትምህርት ቤት ሆኖ ያገለግላል።",
}
