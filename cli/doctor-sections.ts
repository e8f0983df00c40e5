import type { Firing } from '../app/alerts.ts'
import type { CapabilityReport } from '../app/capabilities.ts'
import type { lookAt } from '../app/ready.ts'
import type { Standing } from '../mcp/payment/gate/standing.ts'
import type { StoreUse } from '../store/index.ts'
import { describeUse } from '../store/use.ts'

/** A line of the doctor. */
export type Finding = { ok: boolean; what: string; note: string }
export type Section = { title: string; findings: readonly Finding[] }

/** The answer of `/readyz`, as far as it is told here. */
export type Ready = {
  store: { ok: boolean; engine: string; detail?: string } & Partial<StoreUse>
  jobs: { name: string; ok: boolean; error?: string }[]
  off: { tool: string; needs: string[] }[]
  networks?: Awaited<ReturnType<typeof lookAt>>
  payments?: Standing
  alerts?: Firing[]
  capabilities?: CapabilityReport[]
}

export const capabilitySection = (reports: readonly CapabilityReport[]): Section => ({
  title: 'Capabilities',
  findings: reports.map(({ capability, state, reason, variables }) => ({
    ok: state === 'on',
    what: capability,
    note: state === 'on' ? 'on' : `${reason ?? ''} (${variables.join(', ')})`,
  })),
})

/** A line for each check of each network. */
const networkFindings = (networks: Awaited<ReturnType<typeof lookAt>>): Finding[] =>
  networks.flatMap(({ network, checks }) =>
    checks.map(({ check, state, detail }) => ({
      ok: state === 'ok',
      what: `${network} ${check}`,
      note: state === 'wrong' ? `${detail} (the program refuses to start with this)` : detail,
    })),
  )

/** Open money, and what to do about it. */
const paymentNote = (standing: Standing): string => {
  const { pending, lost, owed, owed_today: owedToday, unexplained, pending_since: since } = standing
  return [
    `${pending} pending${since !== undefined && pending > 0 ? ` since ${since}` : ''}`,
    `${lost} lost to a reorganization`,
    `${owed} owed${owedToday > 0 ? `, ${owedToday} of them since yesterday` : ''}${owed + lost > 0 ? ' (octagent owed lists them)' : ''}`,
    `${unexplained} unexplained${unexplained > 0 ? ' (octagent audit lists them)' : ''}`,
  ].join(', ')
}

export const paymentFindings = ({
  payments,
  networks = [],
}: Pick<Ready, 'payments' | 'networks'>): Finding[] => [
  ...(payments
    ? [
        {
          ok: payments.lost === 0 && payments.unexplained === 0 && payments.owed_today === 0,
          what: 'payments',
          note: paymentNote(payments),
        },
      ]
    : []),
  ...networkFindings(networks),
]

/** What a server says of itself at `/readyz`, as the doctor tells it. */
export const runningSections = (url: string, ready: Ready): Section[] => {
  const { store, jobs, off, networks, payments, alerts = [], capabilities = [] } = ready
  const { documents, bytes, maxBytes, archived } = store
  const failed = jobs.filter(({ ok }) => !ok)
  const use =
    documents !== undefined && bytes !== undefined && maxBytes !== undefined && archived
      ? describeUse({ documents, bytes, maxBytes, archived })
      : undefined
  return [
    {
      title: `The server at ${url}`,
      findings: [
        { ok: store.ok, what: 'store', note: [store.detail ?? store.engine, use].filter(Boolean).join('; ') },
        ...failed.map(({ name, error = 'failed' }) => ({ ok: false, what: name, note: error })),
        { ok: true, what: 'jobs', note: `${jobs.length - failed.length} of ${jobs.length} are well` },
      ],
    },
    {
      title: 'Alerts',
      findings: alerts.map(({ name, summary, cure, labels }) => ({
        ok: false,
        what: [name, ...Object.values(labels)].join(' '),
        note: `${summary} ${cure}`,
      })),
    },
    {
      title: 'Payments, chains and balances',
      findings: paymentFindings({ ...(payments && { payments }), ...(networks && { networks }) }),
    },
    capabilitySection(capabilities),
    {
      title: 'Tools that are off or limited',
      findings: off.map(({ tool, needs }) => ({ ok: false, what: tool, note: `needs ${needs.join(', ')}` })),
    },
  ]
}
