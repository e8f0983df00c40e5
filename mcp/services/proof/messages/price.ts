/** Sats that a message costs. */
export const postSats = 200
export const directSats = 300
