/** How invoices of a network begin, after `ln`. */
export const invoicePrefixes: Readonly<Record<string, string>> = {
  'lightning:mainnet': 'bc',
  'lightning:testnet': 'tb',
  'lightning:signet': 'tbs',
  'lightning:regtest': 'bcrt',
}
