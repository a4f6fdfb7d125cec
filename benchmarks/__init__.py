"""What the engines cost, measured in one run and told as ratios; `make bench` runs it."""
