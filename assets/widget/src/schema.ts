// What the payload says that this explorer reads.

export const SCHEMA = "bucketviz/1";
