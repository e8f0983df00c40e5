/**
 * An address in the one spelling in which addresses are kept and compared: hexadecimal in lower case; others as they are, because the case of
 * base58 counts (Solana).
 */
export const canonicalAddress = (address: string): string =>
  /^0x/i.test(address) ? address.toLowerCase() : address
