/**
 * Seconds by which the clock of a client may differ from ours. `ahead`: how far `iat` and `nbf` may lie in the future
 * (FAPI 2.0 Security Profile 5.3.2.1). `behind`: how long ago `exp` may have passed, and by how much a JWT may be too old.
 */
export const clockTolerance = { ahead: 10, behind: 5 } as const;
