"""The command line: each verb reads its options and leaves the work to the library. Nothing heavy is imported before that."""
