"""What mixes the tokens of one request in a layer. Plain functions of tensors, in float64."""
