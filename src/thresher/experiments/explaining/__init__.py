"""Why a topic won or lost: ranks, the parts of each change of a score, and the passages that were removed."""
