"""`python -m thresher`: the command line."""

from thresher.cli.main import main

main()
