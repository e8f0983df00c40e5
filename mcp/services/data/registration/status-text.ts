const prohibition = (who: string, what: string) => `The ${who} does not allow it to be ${what}.`

const actions: readonly [code: string, what: string][] = [
  ['Delete', 'deleted'],
  ['Renew', 'renewed'],
  ['Transfer', 'moved to another registrar'],
  ['Update', 'changed'],
]

/** What the statuses of EPP mean to people (RFC 5731 section 2.3, RFC 3915). */
const meanings: Readonly<Record<string, string>> = {
  ok: 'Nothing is going on and nothing is prohibited.',
  inactive: 'It has no name servers and does not resolve.',
  clientHold: 'The registrar took it out of the DNS.',
  serverHold: 'The registry took it out of the DNS.',
  pendingCreate: 'Its registration is being worked on.',
  pendingDelete: 'It is about to be deleted and then free for anybody.',
  pendingRenew: 'Its renewal is being worked on.',
  pendingRestore: 'It is being restored after its deletion.',
  pendingTransfer: 'It is being moved to another registrar.',
  pendingUpdate: 'A change is being worked on.',
  addPeriod: 'It is new; the registrar may still give it back.',
  autoRenewPeriod: 'It expired and was renewed automatically; the registrar may still give it back.',
  renewPeriod: 'It was renewed lately; the registrar may still take that back.',
  transferPeriod: 'It was moved lately; the registrar may still take that back.',
  redemptionPeriod: 'It was deleted; only its holder can still restore it, for a fee.',
  ...Object.fromEntries(
    actions.flatMap(([code, what]) => [
      [`client${code}Prohibited`, prohibition('registrar', what)],
      [`server${code}Prohibited`, prohibition('registry', what)],
    ]),
  ),
}

/** A sentence for each status, in order; statuses that EPP does not know stay as the registry wrote them. */
export const statusTexts = (statuses: readonly string[]): string[] =>
  statuses.map(status => meanings[status] ?? status)
