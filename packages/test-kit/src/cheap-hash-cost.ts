/** The lowest cost of argon2id: a service hashes as it does elsewhere, in a hundredth of the time. */
export const cheapHashCost = { memoryCost: 8, timeCost: 1 };
