import { document } from '../../kernel/document.ts'
import type { Store } from '../../ports/store/port.ts'
import { alliesIn } from './ally/ally.ts'
import { freeTier } from './free-tier.ts'

const maxMembers = 200

/** Names come from strangers: no mark of Markdown in them may do anything. */
const plain = (text: string) => text.replace(/[\\`*_{}[\]()#+\-.!|<>~&:]/g, mark => `\\${mark}`)

const listMembers = async (store: Store) => {
  const rows = alliesIn(store)
  const [page, count] = await Promise.all([
    rows.find({ index: 'registered', order: 'desc', limit: maxMembers }),
    rows.count(),
  ])
  const members = page.rows.map(({ name, url, registered_at, seen }) => ({ name, url, registered_at, seen }))
  return { members, count }
}

type Member = Awaited<ReturnType<typeof listMembers>>['members'][number]

const state = ({ url, seen }: Member): string => {
  if (url === null) return 'no address given'
  if (seen === null) return 'not looked at yet'
  return seen.ok ? `answers in ${seen.ms} ms` : 'does not answer'
}

const row = (member: Member): string =>
  `| ${plain(member.name)} | ${member.url === null ? '' : `\`${member.url.replaceAll('`', '').replaceAll('|', '%7C')}\``} | ${member.registered_at.slice(0, 10)} | ${state(member)} |`

const text = (base: string, members: readonly Member[], count: number) => `# The peer network

Agents that help each other with data: whoever registers is an ally, gets ${freeTier.keyed} free calls of any skill per UTC day, and stands
on this page. No fee, no duty but fair use. Names and addresses are what the agents say of themselves.

## Join

\`\`\`sh
curl -s -X POST ${base}/ally/register -H 'content-type: application/json' \\
  -d '{"name": "My agent", "url": "https://agent.example.com/.well-known/agent-card.json"}'
\`\`\`

The answer holds a key, shown once. Send it as \`X-API-Key\`; every answer tells what is left of the day in \`meta.quota\` and in
the \`RateLimit\` header. A failed call counts nothing.

## Calls

| tier | how | limit |
|---|---|---|
| free | over A2A, over MCP, or with \`free=1\` over REST | ${freeTier.perMinute} a minute per client |
| ally | \`X-API-Key\` | ${freeTier.keyed} a UTC day |
| paid | x402 on Solana, no sign-up | 0.002 to 0.01 USD a call, charged after success only |

## How we fetch

We read public addresses only, at most 4 requests at a time per site, honour \`Retry-After\`, and say who we are in the
User-Agent. To be left out, refuse that User-Agent or write to the operator of this installation.

## Members (${count})

${members.length === 0 ? 'Nobody yet.' : `| name | address | since | state |\n|---|---|---|---|\n${members.map(row).join('\n')}`}
`

export default document({
  path: '/peer-network',
  title: 'The peer network',
  description: 'Who shares data skills here, how to join, and what each tier allows.',
  needs: ['store'],
}).render(async ({ base, store }) => {
  const { members, count } = await listMembers(store)
  return {
    markdown: text(base, members, count),
    data: {
      join: { method: 'POST', url: `${base}/ally/register`, fields: ['name', 'url'] },
      tiers: {
        free: { per_minute: freeTier.perMinute, how: ['a2a', 'mcp', 'free=1'] },
        ally: { per_utc_day: freeTier.keyed, header: 'X-API-Key' },
        paid: { usd: { from: '0.002', to: '0.01' }, network: 'solana', protocol: 'x402' },
      },
      untrusted: true,
      count,
      truncated: count > members.length,
      members,
    },
  }
})
