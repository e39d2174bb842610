"""Quality of cleaning: gold standards, the texts that cleaners and other packages leave, and how far both agree."""
