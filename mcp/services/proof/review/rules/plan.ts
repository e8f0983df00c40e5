import type { Artifact } from '../artifact.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'

const isPlan = ({ type, prose }: Artifact): boolean =>
  prose !== '' && (type === 'plan' || type === 'general' || type === 'agent_output')

const irreversible =
  /\b(?:delet(?:e|ing)|drop(?:ping)?|wip(?:e|ing)|purg(?:e|ing)|destroy(?:ing)?|eras(?:e|ing)|truncat(?:e|ing)|decommission(?:ing)?|terminat(?:e|ing)|shut(?:ting)?\s+down|overwrit(?:e|ing)|force[- ]push(?:ing)?|remov(?:e|ing)\s+(?:all|every|the\s+(?:old|production|prod|customer|user|live|primary|entire|whole|database|backup|dns))|migrat(?:e|ing)\s+(?:\w+\s+){0,4}(?:production|prod|customer|user|live|database|data|records|tables?|wallets?)|reset(?:ting)?\s+(?:\w+\s+){0,2}(?:database|production|all)|transfer(?:ring)?\s+(?:[\w,.$€]{1,30}\s+){0,6}(?:funds?|assets?|usd\w*|eth|btc|bitcoin|tokens?|money|balance|treasury|[\d,.]+)|wir(?:e|ing)\s+(?:\$|€|\d|the|money|funds)|send(?:ing)?\s+(?:[\w,.$€]{1,30}\s+){0,5}(?:to\s+all|everyone|every\s+(?:customer|user)|funds?|btc|eth|usd\w?|bitcoin)|rotat(?:e|ing)\s+(?:\w+\s+){0,3}(?:keys?|credentials|secrets)|revok(?:e|ing)|cut(?:ting)?\s*over|swap(?:ping)?\s+(?:\w+\s+){0,3}dns|email(?:ing)?\s+(?:all|every|our)|fire|lay\s+off|cancel(?:ling)?\s+(?:all|every|the\s+contract)|sell(?:ing)?\s+(?:all|the\s+entire|everything)|upgrad(?:e|ing)\s+(?:\w+\s+){0,3}(?:production|prod|database)|deploy(?:ing|ment)?\s+(?:\w+\s+){0,5}(?:to\s+)?(?:production|prod|live|all\s+customers))\b/i

const important =
  /\b(?:production|prod|customers?|users?|live|primary|master|main|database|db|tables?|records|backups?|snapshots?|volumes?|buckets?|namespaces?|clusters?|servers?|accounts?|data|history|repository|repo|dns|domain|keys?|credentials|secrets|funds?|treasury|wallets?|treasury|payroll|btc|eth|usdc?|money|emails?|everyone|all)\b/i

const safeguards =
  /\b(?:backups?|back\s+up|snapshots?|roll(?:ed|ing)?[- ]?back|revert|restor(?:e|ed|able)|dry[- ]run|staging|canary|pilot|feature\s+flag|blue[-/ ]green|approv(?:al|ed\s+by|es?|ers?)|sign(?:ed)?[- ]off|multi-?sig|two[- ]person|four[- ]eyes|test\s+(?:transfer|transaction|send|run|restore)|soft[- ]delet\w+|retention|grace\s+period|export(?:ed)?\s+first|copy\s+first|verif(?:y|ied|ication)|maintenance\s+window|monitor\w*|abort|fall\s?back|undo|archiv(?:e|ed)|confirm(?:ation|ed|s)?\s+(?:by|from|with)|point-in-time)\b/gi

const careless =
  /\b(?:without|no|skip(?:ping)?|don'?t\s+(?:need|bother|make|take|wait)|not?\s+(?:taking|making|testing|needed)|never\s+mind|ignor(?:e|ing)|bypass(?:ing)?|disabl(?:e|ing)|turn(?:ing)?\s+off)\s+(?:\w+\s+){0,4}(?:backups?|snapshots?|roll-?back|tests?|testing|test\s+suite|staging|review(?:s|ers?)?|approvals?|confirmation|ci|code\s+review|monitoring|alerts?|safety|checks?|verification|dry[- ]run|authorization|two-factor|change\s+control)\b|\b(?:backups?|tests?|review|approval|rollback|staging)\s+(?:is|are)\s+(?:not\s+(?:needed|necessary|required)|unnecessary|skipped)|\bstraight\s+(?:to|in|on)\s+(?:prod|production|main)\b|\bdirectly\s+(?:in|on|to|into|against)\s+(?:prod|production|main|master|the\s+live)\b|\bnobody\s+(?:will|needs\s+to|has\s+to)\s+(?:notice|know|approve|review)|\bbefore\s+anyone\s+(?:notices|reviews|can)\b|\bdisabl(?:e|ing)\s+(?:\w+\s+){0,3}(?:logging|audit|alerting|alarms?|firewall|authentication|2fa|mfa|protection)\b/i

const negated =
  /\b(?:never|do\s+not|don't|must\s+not|will\s+not|won't|no\s+need\s+to|avoid|instead\s+of|rather\s+than|nothing\s+is|not)\s+(?:\w+\s+){0,3}$/i

const sentences = (text: string): { text: string; line: number }[] =>
  text
    .split('\n')
    .flatMap((row, nth) =>
      row
        .slice(0, 2000)
        .split(/(?<=[.!?;])\s/)
        .map(part => ({ text: part, line: nth + 1 })),
    )
    .filter(({ text }) => text.length > 8)

export const planRules: readonly Rule[] = [
  wholeRule({
    id: 'plan-irreversible',
    category: 'plan',
    type: 'plan',
    severity: 'high',
    fix: 'Say what is backed up, how it is undone, and who agrees, before the step that cannot be undone.',
    hits: [
      '1. Stop the app\n2. Delete the production database\n3. Start the app',
      'Migrate all customer records to the new table tonight.',
      'Transfer 50 ETH from the treasury to the vendor.',
      'We will wipe the old servers and purge the logs of all users.',
      'Deploy the change to production on Friday evening.',
    ],
    misses: [
      '1. Take a snapshot\n2. Delete the staging database\n3. If it fails, restore the snapshot',
      'Migrate customer records: back up first, dry run on staging, roll back with the old table.',
      'Write the documentation and ask for review.',
      'We do not delete any customer data.',
      'Refactor the parser and add tests.',
      'Delete the unused import in utils.ts.',
    ],
    see(artifact) {
      if (!isPlan(artifact)) return []
      const all = new Set([...artifact.prose.matchAll(safeguards)].map(([word]) => word.toLowerCase()))
      const risky = sentences(artifact.prose).filter(({ text }) => {
        const match = irreversible.exec(text)
        return (
          match &&
          important.test(text) &&
          !negated.test(text.slice(0, match.index)) &&
          !/\b(?:unused|dead|temporary|temp|test|local|draft|obsolete\s+comment|stale\s+branch|feature\s+branch|import|variable|function|typo|cache|dev(?:elopment)?)\b/i.test(
            text,
          )
        )
      })
      const [first] = risky
      if (!first || (artifact.type !== 'plan' && all.size > 0)) return []
      if (all.size >= 2 || (all.size === 1 && risky.length === 1)) return []
      if (artifact.type === 'agent_output' && !/\b(?:will|going\s+to|next|now|then|plan)\b/i.test(first.text))
        return []
      return [
        {
          detail: `It cannot be undone, and no way back is named: ${first.text.trim().slice(0, 80)}`,
          place: { line: first.line },
        },
      ]
    },
  }),
  wholeRule({
    id: 'plan-careless',
    category: 'plan',
    type: 'plan',
    severity: 'high',
    fix: 'Keep the backup, the test and the review in the plan.',
    hits: [
      'Drop the old tables without a backup.',
      'Push straight to production and skip the tests.',
      'No rollback needed, delete the cluster.',
      'Disable the audit logging, then change the balances.',
      'Deploy on Friday; code review is not needed.',
    ],
    misses: [
      'Never deploy without a backup.',
      'Do not skip the tests.',
      'The build runs without errors.',
      'Take a backup, then drop the old tables.',
    ],
    see(artifact) {
      if (!isPlan(artifact)) return []
      return sentences(artifact.prose).flatMap(({ text, line }): Hit[] => {
        const match = careless.exec(text)
        if (
          !match ||
          negated.test(text.slice(0, match.index)) ||
          /\b(?:if|unless|when|should)\s+(?:\w+\s+){0,3}(?:without|no)\b/i.test(text)
        )
          return []
        const isGrave = irreversible.test(text) || irreversible.test(artifact.prose)
        return [
          {
            detail: `A safeguard is left out: ${match[0].slice(0, 60)}`,
            place: { line },
            severity: isGrave ? 'blocker' : 'high',
          },
        ]
      })
    },
  }),
]
