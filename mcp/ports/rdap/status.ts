const actions = ['Delete', 'Hold', 'Renew', 'Transfer', 'Update', 'Recover']

/** The statuses of EPP (RFC 5731 section 2.3, RFC 3915). */
const codes = [
  'ok',
  'inactive',
  'linked',
  // What registries outside of EPP call it.
  'active',
  'clientHold',
  'serverHold',
  ...['client', 'server'].flatMap(who => actions.map(action => `${who}${action}Prohibited`)),
  ...['Create', 'Delete', 'Renew', 'Restore', 'Transfer', 'Update'].map(action => `pending${action}`),
  ...['add', 'autoRenew', 'renew', 'transfer', 'redemption'].map(name => `${name}Period`),
]

const bySpelling = new Map(codes.map(code => [code.toLowerCase(), code]))

/** RDAP has words of its own for these two (RFC 8056). */
const statusNames: Readonly<Record<string, string>> = { active: 'ok', associated: 'linked' }

/**
 * A status as EPP writes it (`clientTransferProhibited`), from a WHOIS line such as `clientTransferProhibited https://icann.org/epp#…`
 * or `ok - Normal state`. What EPP does not know stays as it is.
 */
export const eppStatus = (text: string): string => {
  const words = text
    .replace(/\(?https?:\/\/\S+/gi, '')
    .replace(/ - .*$/, '')
    .trim()
  const spelling = words.toLowerCase().replace(/[ _-]/g, '')
  return bySpelling.get(spelling) ?? words
}

/** A status of EPP from RDAP's `client transfer prohibited`. */
export const rdapStatus = (text: string): string => statusNames[text.trim().toLowerCase()] ?? eppStatus(text)
