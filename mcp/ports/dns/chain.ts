import type { DnsRecord } from './port.ts'

/** The records of one type that answer for a name, with the CNAMEs that lead there; strays and loops are left behind. */
export const followChain = (name: string, type: string, records: readonly DnsRecord[]): DnsRecord[] => {
  const aliases = new Map(
    records
      .filter(record => record.type === 'CNAME')
      .map(record => [record.name, String(record.data).toLowerCase()]),
  )
  const names = new Set<string>()
  for (let at: string | undefined = name; at !== undefined && !names.has(at); at = aliases.get(at))
    names.add(at)
  return records.filter(record => (record.type === type || record.type === 'CNAME') && names.has(record.name))
}
