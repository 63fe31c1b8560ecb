"""`python -m ottla.coordination.embedded [zoo.cfg]`: the server on its own, without the command line's dependencies."""

import sys

from ottla.coordination.embedded.standalone import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
