"""The learned scorer: features of blocks, trees and a network over them, and model files."""
