import sys

from tests.benchmarks.run import main

if __name__ == "__main__":
    sys.exit(main())
