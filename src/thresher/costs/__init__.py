"""Costs of a variant: wall and CPU seconds, peak memory, CO2, and after how many queries cleaning has paid off."""
