import type { Artifact } from '../artifact.ts'
import { readSentences } from '../read/prose.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'

const isPlan = ({ type, prose }: Artifact): boolean =>
  prose !== '' && (type === 'plan' || type === 'general' || type === 'agent_output')

const irreversible =
  /\b(?:delet(?:e|ing)|drop(?:ping)?|wip(?:e|ing)|purg(?:e|ing)|destroy(?:ing)?|eras(?:e|ing)|truncat(?:e|ing)|decommission(?:ing)?|terminat(?:e|ing)|shut(?:ting)?\s+down|overwrit(?:e|ing)|throw(?:ing)?\s+(?:\w+\s+){0,4}away|discard(?:ing)?|force[- ]push(?:ing)?|remov(?:e|ing)\s+(?:all|every|the\s+(?:old|production|prod|customer|user|live|primary|entire|whole|database|backup|dns))|migrat(?:e|ing)\s+(?:\w+\s+){0,4}(?:production|prod|customer|user|live|database|data|records|tables?|wallets?)|reset(?:ting)?\s+(?:\w+\s+){0,2}(?:database|production|all)|transfer(?:ring)?\s+(?:[\w,.$€]{1,30}\s+){0,6}(?:funds?|assets?|usd\w*|eth|btc|bitcoin|tokens?|money|balance|treasury|[\d,.]+)|wir(?:e|ing)\s+(?:\$|€|\d|the|money|funds)|send(?:ing)?\s+(?:[\w,.$€]{1,30}\s+){0,5}(?:to\s+all|everyone|every\s+(?:customer|user)|funds?|btc|eth|usd\w?|bitcoin)|rotat(?:e|ing)\s+(?:\w+\s+){0,3}(?:keys?|credentials|secrets)|revok(?:e|ing)|cut(?:ting)?\s*over|swap(?:ping)?\s+(?:\w+\s+){0,3}dns|email(?:ing)?\s+(?:all|every|our)|fire|lay\s+off|cancel(?:ling)?\s+(?:all|every|the\s+contract)|sell(?:ing)?\s+(?:all|the\s+entire|everything)|upgrad(?:e|ing)\s+(?:\w+\s+){0,3}(?:production|prod|database)|deploy(?:ing|ment)?\s+(?:\w+\s+){0,5}(?:to\s+)?(?:production|prod|live|all\s+customers))\b/i

const important =
  /\b(?:production|prod|customers?|users?|live|primary|master|main|database|db|tables?|records|backups?|snapshots?|volumes?|buckets?|namespaces?|clusters?|servers?|accounts?|data|history|repository|repo|dns|domain|keys?|credentials|secrets|funds?|treasury|wallets?|treasury|payroll|btc|eth|usdc?|money|emails?|everyone|all)\b/i

const safeguards =
  /\b(?:backups?|back\s+up|snapshots?|roll(?:ed|ing)?[- ]?back|revert|restor(?:e|ed|able)|dry[- ]run|staging|canary|pilot|feature\s+flag|blue[-/ ]green|approv(?:al|ed\s+by|es?|ers?)|sign(?:ed)?[- ]off|multi-?sig|two[- ]person|four[- ]eyes|test\s+(?:transfer|transaction|send|run|restore)|soft[- ]delet\w+|retention|grace\s+period|export(?:ed)?\s+first|copy\s+first|verif(?:y|ied|ication)|maintenance\s+window|monitor\w*|abort|fall\s?back|undo|archiv(?:e|ed)|confirm(?:ation|ed|s)?\s+(?:by|from|with)|point-in-time|within\s+\d+\s+(?:days|weeks)|overlap|in\s+parallel|side\s+by\s+side|watch(?:ing|ed)?|gradual(?:ly)?|phased|step\s+by\s+step|one\s+(?:at\s+a\s+time|by\s+one)|in\s+batches|compar(?:e|ing)|checksums?|on[- ]call|row\s+counts?|two\s+people|audit\s+log|time-?limited|break-?glass|confirming\s+(?:with|by)|post-?mortem|sign(?:s|ed)?\s+off|objections?|notif(?:y|ied)\s+owners|shadow\s+traffic|briefed|guardrails?|dual\s+control|timelock)\b/gi

const careless =
  /\b(?:without|no|skip(?:ping)?|don'?t\s+(?:need|bother|make|take|wait)|not?\s+(?:taking|making|testing|needed)|never\s+mind|ignor(?:e|ing)|bypass(?:ing)?|disabl(?:e|ing)|(?:turn|switch)(?:ing)?\s+off)\s+(?:\w+\s+){0,4}(?:backups?|snapshots?|roll-?back|tests?|testing|test\s+suite|staging|review(?:s|ers?)?|approvals?|confirmation|ci|code\s+review|monitoring|alerts?|safety|checks?|verification|dry[- ]run|authorization|two-factor|change\s+control)\b|\b(?:backups?|tests?|review|approval|rollback|staging)\s+(?:is|are)\s+(?:not\s+(?:needed|necessary|required)|unnecessary|skipped)|\bstraight\s+(?:to|in|on)\s+(?:prod|production|main)\b|\bdirectly\s+(?:in|on|to|into|against)\s+(?:prod|production|main|master|the\s+live)\b|\b(?:if|when|should)\s+(?:something|anything|it|things?)\s+(?:goes?|breaks?|fails?)[^.!?\n]{0,30}\bwe(?:'ll|\s+will)\s+(?:see|deal\s+with|figure|worry|handle|cope|improvise|fix\s+it\s+(?:then|later))|\b(?:hope\s+(?:for\s+the\s+best|(?:that\s+)?(?:it|nothing|everything)\s+\w+)|fingers\s+crossed|(?:figure|sort|work)\s+(?:it|that)\s+out\s+(?:later|afterwards|then))|\b(?:stop|stopping|cancel|cancelling)\s+(?:\w+\s+){0,3}(?:backups?|monitoring|patching|security\s+updates|pentests?|penetration\s+tests?)\b|\bsee\s+(?:if|whether)\s+(?:anything|something|it|things)\s+breaks?\b|\bif\s+there\s+(?:is|are)\s+(?:one|any)\b(?=\W*$)|\bsee\s+(?:how\s+it\s+goes|what\s+(?:happens|breaks))|\b(?:nobody|no\s+one)\s+(?:will|needs\s+to|has\s+to|must)\s+(?:notice|know|approve|review|look|check|agree)|\bbefore\s+anyone\s+(?:notices|reviews|can)\b|\b(?:disabl(?:e|ing)|(?:turn|switch)(?:ing)?\s+off|suspend(?:ing)?|paus(?:e|ing)|tak(?:e|ing)\s+down|remov(?:e|ing))\s+(?:\w+\s+){0,3}(?:logging|audit|alerting|alarms?|firewall|waf|authentication|2fa|mfa|(?:branch|ddos|deletion|endpoint|write|bot)\s+protection|encryption|antivirus|edr|dlp|rate[- ]limit\w*|selinux|intrusion\s+detection|kill[- ]switch|circuit\s+breakers?|tls|certificate\s+(?:checks?|validation))\b(?!\w)(?!\s+(?:module|code|class|docs?|library|page|in\s+(?:staging|test|dev)))/i

/** An invoice or a fee, to an account that is known. */
const asksOrdinarily = /\b(?:invoice|fee|rent|subscription|membership|tuition|bill|instal?lment|dues)\b/i

/** All at once, with no way to stop half-way. */
const atOnce =
  /\b(?:behind\s+no|without\s+(?:a|any)|no)\s+(?:feature\s+)?flags?\b|\b(?:big[- ]bang|all\s+at\s+once|in\s+one\s+go)\b[^.!?\n]{0,60}\b(?:release|cut-?over|deploy\w*|migrat\w*|switch|roll-?out)|\b(?:release|cut-?over|deploy\w*|migrat\w*|switch|roll-?out)\b[^.!?\n]{0,80}\b(?:big[- ]bang|all\s+at\s+once|in\s+one\s+go)\b|\bfix\s+(?:it\s+)?forward\b|\bdelet\w*\s+(?:the\s+)?old\s+(?:\w+\s+){0,2}(?:the\s+)?same\s+day\b|\b(?:delet|remov|drop|revok|destroy|shut)\w*\s+(?:down\s+)?(?:the\s+)?(?:old|existing|current|previous)\s+(?:\w+\s+){0,3}first\b|\b(?:no|without)\s+(?:\w+\s+){0,2}staging\b|\bworked\s+on\s+my\s+(?:laptop|machine)\b/i

/** Nobody who could help, or nothing to go back to. */
const unattended =
  /\b(?:nobody|no\s+one|no\s+engineer)\s+(?:is|will\s+be)\s+(?:on[- ]call|available|reachable|on\s+duty|watching|there)\b|\bif\s+(?:something|anything|it)\s+breaks?,?\s+(?:\w+\s+){1,3}will\s+(?:report|tell|complain|call|let\s+us)\b|\b(?:old|previous|existing|current)\s+(?:\w+\s+){0,3}(?:is|are|will\s+be)\s+(?:terminated|deleted|destroyed|wiped|scrapped|dropped|shut\s+down)\s+(?:at\s+once|immediately|right\s+(?:away|after)|the\s+same\s+(?:day|evening|hour)|at\s+\d{1,2}:\d{2}|(?:\w+\s+)?minutes?\s+later)\b/i
/** What nobody looked at before it is done. */
const unchecked =
  /\b(?:have|has|had|did|was|were|do|does)\s?(?:not|n't)\s+(?:been\s+)?(?:checked|check|verified|verify|tested|tried|rehearsed|asked)\b|\b(?:never|not)\s+(?:been\s+)?(?:tested|tried|rehearsed|run)\b|\bun(?:tested|tried|rehearsed)\b/i
const noWayBack =
  /\b(?:no\s+(?:downgrade|way\s+back|rollback)|(?:does|do)\s+not\s+(?:allow|support)\s+(?:a\s+)?(?:downgrades?|rollbacks?|going\s+back)|cannot\s+be\s+(?:undone|rolled\s+back|reverted|downgraded)|one-way|going\s+back\s+(?:needs|takes|means)|irreversibl[ey]|schedul(?:e|ing)\s+(?:the\s+)?deletion|delet(?:e|ing)|destroy(?:ing)?|wip(?:e|ing)|terminat(?:e|ed|ing))\b/i
const looksFirst =
  /\b(?:before|first|until|unless|so\s+(?:we|nothing|this)|therefore|if|stop|abort|will\s+be\s+(?:checked|tested|verified)|not\s+(?:be\s+)?(?:delete|remove)d?)\b/i
const unguarded =
  /\b(?:interlocks?|safety\s+\w+|alarms?|light\s+curtains?|guards?|(?:collision|proximity|gas|smoke)\s+(?:sensors?|detectors?)|emergency\s+stops?|limit\s+switches|relief\s+valves?)\s+(?:\w+\s+)?(?:is|are|will\s+be|gets?)\s+(?:bypassed|disabled|switched\s+off|bridged|jumpered|overridden|defeated|turned\s+off)\b|\b(?:bypass|bridge|jumper|defeat|override|disable)\s+(?:\w+\s+){0,2}(?:interlocks?|light\s+curtains?|emergency\s+stops?|limit\s+switches|relief\s+valves?)\b/i

/** Everything staked on something new. */
const staked =
  /\b(?:100\s?%|all|entire|whole|full)\s+(?:of\s+)?(?:the\s+|our\s+)?(?:treasury|funds|reserves?|savings|cash|runway|balance|capital|payroll)\b/i
const untried =
  /\b(?:un-?audited|anonymous\s+team|doxx?ed|new\s+(?:\w+\s+)?(?:vault|protocol|farm|pool|token|bridge|chain|exchange|platform|broker)|launched\s+(?:last|this|yesterday|today)|\d{2,6}\s?%\s+(?:apy|apr|yield)|before\s+(?:the\s+)?(?:rate|price|yield|offer)\s+(?:drops|rises|ends)|guaranteed|meme\s?coin|leverage[d]?|single\s+(?:counterparty|exchange|token|stock))\b/i

/** Data of people, open to all. */
const opensData =
  /\b(?:customers?'?|users?'?|patients?'?|personal|employee\w*|payroll|member\w*|health|medical)\s+(?:\w+\s+){0,2}(?:table|data|records|list|database|exports?|dumps?|files?|details)\b[^\n]{0,160}\b(?:public(?:ly)?(?:\s+(?:read\w*|access\w*|bucket|link|url))?|anyone\s+(?:with|can)|without\s+(?:a\s+)?(?:password|login|authentication)|open\s+(?:link|bucket)|unencrypted)\b/i

/** What one would go back to is itself taken away. */
const losesBackups =
  /\b(?:delet|remov|drop|purg|wip|eras|destroy|prun)(?:e|es|ing|ping)?\s+(?:\w+\s+){0,3}(?:backups|snapshots|backup|snapshot)\b(?!\s+(?:scripts?|jobs?|code|docs?|tests?|files?\s+of))/i
const keepsEnough =
  /\b(?:older\s+than|expired|retention|after\s+\d+|except|keep(?:ing)?|dry[- ]run|test|temporary|verified|duplicate)\b/i

/** More power than a task needs, or power without anybody who watches. */
const overreach =
  /\b(?:giv(?:e|es|ing)|grant(?:s|ing)?|assign(?:s|ing)?|add(?:s|ing)?|make|let(?:s|ting)?|allow(?:s|ing)?)\b[^.!?\n]{0,60}\b(?:(?:full|unrestricted|unlimited|complete|permanent)\s+(?:\w+\s+)?(?:access|control|rights?|permissions?|privileges?)|(?:admin(?:istrator)?|root|superuser|owner|cluster-admin|sudo)\s+(?:access|rights?|permissions?|privileges?|roles?))|\b(?:of\s+any\s+(?:amount|size)|without\s+(?:any\s+)?(?:limits?|human|manual|oversight|supervision)|no\s+(?:human|limits?|oversight)\b)|\b(?:unlimited|infinite)\s+(?:\w+\s+){0,2}(?:spending|allowances?|approvals?|budget)\b/i
const restrained =
  /\b(?:until|temporar\w+|for\s+(?:\d+|an?|one|two)\s+(?:minutes?|hours?|days?)|time-?limited|break-?glass|approv(?:al|ed|ers?)|(?:a\s+person|human|manager|owner)\s+approves|audit\w*|logged|revok\w+|instead\s+of|read-only)\b/i

const negated =
  /\b(?:never|do\s+not|don't|must\s+not|will\s+not|won't|no\s+need\s+to|avoid|instead\s+of|rather\s+than|nothing\s+is|not)\s+(?:\w+\s+){0,3}$/i

/** A question, or a sentence of a manual: nothing is about to be done. */
const explains =
  /^\s*(?:how|what|why|when|where|which|who|can|could|should|does|do|is|are|may)\b[^.!]*\?\s*$|\b(?:docs?|documentation|manual|guide|article|page)\s+(?:\w+\s+)?(?:mentions?|says?|explains?|describes?|shows?|covers?)\b|^\s*\w+ing\s+(?:\w+\s+){1,5}(?:is|removes?|means|requires?|needs?|takes?|cannot|can|causes?)\b/i

const credential =
  /\b(?:passwords?|passphrases?|credentials?|private\s+keys?|api\s+keys?|seed\s+phrases?|recovery\s+phrases?|access\s+tokens?|ssh\s+keys?|admin(?:istrator)?\s+(?:rights?|access|accounts?)|root\s+(?:access|rights?))\b/i

const handsOut =
  /\b(?:give|giv(?:es|ing)|grant(?:s|ing)?|share|shar(?:es|ing)|send(?:s|ing)?|e-?mail(?:s|ing)?|post(?:s|ing)?|publish(?:es|ing)?|paste|past(?:es|ing)|hand(?:s|ing)?(?:\s+out)?|distribut(?:e|es|ing)|commit(?:s|ting)?|print(?:s|ing)?|upload(?:s|ing)?|put(?:s|ting)?)\b/i

/** To more people than need it, or where others read it. */
const tooWidely =
  /\b(?:every(?:one|body|\s+\w+)|all\s+(?:\w+\s+)?(?:staff|employees|contractors|users|customers|developers|team|members|partners|of\s+them)|any(?:one|body)|whole\s+(?:team|company)|contractors?|interns?|vendors?|channel|slack|chat|wiki|repo(?:sitory)?|ticket|e-?mail|spreadsheet|document|public(?:ly)?|plain\s?text|clear\s?text)\b/i

const keeps =
  /\b(?:stor(?:e|es|ing)|keep(?:s|ing)?|sav(?:e|es|ing)|log(?:s|ging)?|writ(?:e|es|ing)|record(?:s|ing)?|collect(?:s|ing)?|copy|dump(?:s|ing)?|send(?:s|ing)?|share|sharing|upload(?:s|ing)?|includ(?:e|es|ing))\b/i

const sensitive =
  /\b(?:card\s+numbers?|credit\s+cards?|cvcs?|cvvs?|(?:customers?'?|users?'?)\s+passwords?|passwords?|social\s+security|ssns?|passports?|health\s+(?:data|records)|medical|biometric\w*|fingerprints?|bank\s+details|seed\s+phrases?|private\s+keys?)\b/i

const protectedly =
  /\b(?:hash(?:ed|es|ing)?|encrypt\w*|token(?:ized|ised|s)?|vault|mask(?:ed|ing)?|redact\w*|anonymi[sz]\w*|pseudonymi[sz]\w*|consent|never|not|without|last\s+four|secret\s+(?:store|manager)|argon2|bcrypt|link|reset)\b/i

/** Data of people that leave the place where they are guarded. */
const takesData =
  /\b(?:copy|export|download|move|load|sync|e-?mail|upload|paste|send)\b[^.!?\n]{0,60}\b(?:production|prod|customers?'?|users?'?|patients?'?|personal|payroll|employees?'?)\s+(?:database|data|records|dump|list|details|db)\b[^.!?\n]{0,120}\b(?:laptops?|interns?|personal|usb|dropbox|google\s+drive|pastebin|contractors?|vendors?|chatgpt|chatbots?|third[- ]part\w+|public|slack|gist)\b/i

export const planRules: readonly Rule[] = [
  wholeRule({
    id: 'plan-bares-data',
    category: 'plan',
    type: 'plan',
    severity: 'high',
    fix: 'Keep a token or a hash in its place, and what must be kept encrypted.',
    hits: [
      'Store card numbers and CVCs in the orders table.',
      'Log the passwords of users who cannot sign in.',
      'Copy the production database to the laptops of the interns.',
      'Export the customer table to a bucket that is public, so that partners can fetch it.',
    ],
    misses: [
      'Store card tokens of the payment provider.',
      'Store passwords hashed with argon2.',
      'Never log passwords.',
      'Ask for the card at the counter.',
    ],
    see(artifact) {
      if (!isPlan(artifact)) return []
      return readSentences(artifact.prose).flatMap(({ text, place }): Hit[] => {
        const match = keeps.exec(text)
        const moved = takesData.exec(text) ?? opensData.exec(text)
        if (moved && !protectedly.test(text) && !negated.test(text.slice(0, moved.index)))
          return [
            {
              detail: `It takes data to where they are not guarded: ${text.trim().slice(0, 80)}`,
              place,
            },
          ]
        return match && sensitive.test(text.slice(match.index)) && !protectedly.test(text)
          ? [{ detail: `It lays data bare: ${text.trim().slice(0, 80)}`, place }]
          : []
      })
    },
  }),
  wholeRule({
    id: 'plan-hands-out-access',
    category: 'plan',
    type: 'plan',
    severity: 'high',
    fix: 'Give each person an account of their own, with the rights that they need, for as long as they need them.',
    hits: [
      'Give every contractor the root password.',
      'Post the API keys in the team channel so that everybody has them.',
      'Commit the database credentials to the repository for now.',
    ],
    misses: [
      'Give two contractors read access to staging for a month.',
      'Never send passwords by e-mail.',
      'Send each user a link to choose a new password.',
      'Rotate the API keys, then tell everyone.',
    ],
    see(artifact) {
      if (!isPlan(artifact)) return []
      return readSentences(artifact.prose).flatMap(({ text, place }): Hit[] => {
        const match = handsOut.exec(text)
        if (
          !match ||
          negated.test(text.slice(0, match.index)) ||
          /\b(?:link|form|reset|temporary|vault|password\s+manager|rotat\w+)\b/i.test(text)
        )
          return []
        const rest = text.slice(match.index)
        return credential.test(rest) && tooWidely.test(rest)
          ? [{ detail: `It hands out access: ${text.trim().slice(0, 80)}`, place }]
          : []
      })
    },
  }),
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
      'Rotate API keys: issue new ones, let clients switch within 14 days, then revoke the old.',
      'We do not delete any customer data.',
      'Refactor the parser and add tests.',
      'Delete the unused import in utils.ts.',
      'Rewrite "How to delete your user data" and the page "Destroy old keys".',
      { type: 'general', artifact: '3 May: film "Erase All Records" (1971), main hall, 19:00.' },
      {
        type: 'agent_output',
        artifact:
          'I did not use the key. Recommended now for the owner: revoke it and rotate all credentials.',
      },
      { type: 'general', artifact: 'How do I drop a table of the database? The docs mention DROP TABLE.' },
    ],
    see(artifact) {
      if (!isPlan(artifact)) return []
      const all = new Set([...artifact.prose.matchAll(safeguards)].map(([word]) => word.toLowerCase()))
      const risky = readSentences(artifact.prose).filter(({ text }) => {
        if (artifact.type !== 'plan' && explains.test(text)) return false
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
      // Steps that are put to the owner after a leak are advice.
      if (
        artifact.type === 'agent_output' &&
        /\b(?:revok|rotat)\w*/i.test(first.text) &&
        /\b(?:propos\w+|recommend\w*|suggest\w*|should|owner|please)\b/i.test(first.text)
      )
        return []
      // An ordinary request of payment is undone by a refund.
      if (
        artifact.type !== 'plan' &&
        /\b(?:pay|transfer|remit)\b/i.test(first.text) &&
        asksOrdinarily.test(artifact.prose)
      )
        return []
      if (artifact.type === 'agent_output' && !/\b(?:will|going\s+to|next|now|then|plan)\b/i.test(first.text))
        return []
      return [
        {
          detail: `It cannot be undone, and no way back is named: ${first.text.trim().slice(0, 80)}`,
          place: first.place,
        },
      ]
    },
  }),
  wholeRule({
    id: 'plan-overreach',
    category: 'plan',
    type: 'plan',
    severity: 'high',
    fix: 'Give what the task needs, for as long as it needs it, and let somebody agree above a limit.',
    hits: [
      'Give the bot full admin access to the billing system.',
      'Let the agent issue refunds of any amount by itself.',
      'Approve unlimited USDC spending for the new contract.',
      'Add the contractor with owner permissions to all projects.',
    ],
    misses: [
      'Give the bot read access to invoices.',
      'Grant two engineers admin access for 2 hours, then revoke it.',
      'Do not grant anybody full access.',
    ],
    see(artifact) {
      if (artifact.type !== 'plan' || artifact.prose === '') return []
      return readSentences(artifact.prose).flatMap(({ text, place }): Hit[] => {
        const match = overreach.exec(text)
        return match && !negated.test(text.slice(0, match.index)) && !restrained.test(text)
          ? [{ detail: `It gives more power than it bounds: ${match[0].slice(0, 80)}`, place }]
          : []
      })
    },
  }),
  wholeRule({
    id: 'plan-stakes-all',
    category: 'plan',
    type: 'plan',
    severity: 'blocker',
    fix: 'Begin with a part that may be lost, and say when to stop.',
    hits: [
      'Move the entire treasury into the new vault that pays 180 % APY.',
      'Put all reserves into a meme coin before the price rises.',
    ],
    misses: [
      'Move 1 % of the treasury into an audited lending market; review after 30 days.',
      'Do not move the whole treasury into one vault.',
    ],
    see(artifact) {
      if (!isPlan(artifact)) return []
      return readSentences(artifact.prose).flatMap(({ text, place }): Hit[] => {
        const match = staked.exec(text)
        return match && untried.test(artifact.prose) && !negated.test(text.slice(0, match.index))
          ? [{ detail: `Everything is staked on one untried thing: ${match[0]}`, place }]
          : []
      })
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
      'Turn off the WAF so that the release is faster.',
      'Deploy on Friday; code review is not needed.',
      'Upgrade the primary in place; if something goes wrong we will see.',
      'Remove the old backups to save space.',
      'Stop paying for backups this quarter.',
      'Rewrite the service, ship it behind no flag, delete the old one the same day.',
      'Rotate the certificates by deleting the old ones first, then request new ones.',
      'Switch the record at 18:00; the old proxy is destroyed immediately.',
      'Move the mail at night. Nobody is on call.',
      'Delete the volumes of 2021. We did not check what still mounts them.',
      'The update is untested and cannot be rolled back. Flash all units on Monday.',
      'The interlocks are bridged while the line runs.',
    ],
    misses: [
      'Never deploy without a backup.',
      'We have not checked volume 7, so nothing there is deleted until its owner answers.',
      'The interlocks are tested; the old proxy is kept for 14 days.',
      'Do not skip the tests.',
      'Disable rate limiting in staging for the load test.',
      'The build runs without errors.',
      'Take a backup, then drop the old tables.',
      'Delete snapshots older than 90 days.',
    ],
    see(artifact) {
      if (!isPlan(artifact)) return []
      const isFinal = artifact.type === 'plan' && noWayBack.test(artifact.prose)
      return readSentences(artifact.prose).flatMap(({ text, place }): Hit[] => {
        const match =
          careless.exec(text) ??
          atOnce.exec(text) ??
          unguarded.exec(text) ??
          unattended.exec(text) ??
          (isFinal && !looksFirst.test(text) ? unchecked.exec(text) : null) ??
          (keepsEnough.test(text) ? null : losesBackups.exec(text))
        if (
          !match ||
          negated.test(text.slice(0, match.index)) ||
          /\b(?:in|on|for|during)\s+(?:the\s+)?(?:staging|tests?|testing|sandbox)$/i.test(match[0]) ||
          /\b(?:if|unless|when|should)\s+(?:\w+\s+){0,3}(?:without|no)\b/i.test(text) ||
          // A rule that says up to what sum nobody need be asked.
          /\b(?:up\s+to|below|under|less\s+than|within|at\s+most)\s+(?:[$€£]|[A-Z]{3}\s?)?\d[^.;\n]{0,40}\bwithout\b/i.test(
            text,
          )
        )
          return []
        const isGrave = irreversible.test(text) || irreversible.test(artifact.prose)
        return [
          {
            detail: `A safeguard is left out: ${match[0].slice(0, 60)}`,
            place,
            severity: isGrave ? 'blocker' : 'high',
          },
        ]
      })
    },
  }),
]
