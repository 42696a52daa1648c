"""bucketviz: see, explain and prove the collective bucketing pass of PyTorch Inductor."""
