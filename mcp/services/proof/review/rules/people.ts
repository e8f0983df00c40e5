import type { Artifact } from '../artifact.ts'
import { readSentences } from '../read/prose.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'

const isProse = ({ type, prose }: Artifact): boolean =>
  prose !== '' && (type === 'plan' || type === 'general' || type === 'agent_output' || type === 'analysis')

/** Said of what is not done, or of what others should not do. */
const denied =
  /\b(?:not|neither|nor|never|don't|doesn't|didn't|won't|cannot|can't|without|avoid\w*|no|nobody|stop\w*|prohibit\w*|forbid\w*|forbidden|ban(?:s|ned)?|illegal|against|refus\w+|reject\w*|instead\s+of|rather\s+than|report(?:s|ed)?|detect\w*|prevent\w*|audit\w*|warn\w*|danger\w*|unlawful|removed?)\b[^.!?;]{0,80}$/i
const deniedAfter =
  /^[^.!?;]{0,80}\b(?:is|are)\s+(?:illegal|forbidden|prohibited|not\s+allowed|unlawful|dangerous|never)\b/i

type Wrong = readonly [pattern: RegExp, detail: string]

const seeIn =
  (wrongs: readonly Wrong[]) =>
  (artifact: Artifact): Hit[] =>
    isProse(artifact)
      ? readSentences(artifact.prose).flatMap(({ text, place }): Hit[] => {
          for (const [pattern, detail] of wrongs) {
            const match = pattern.exec(text)
            if (
              match &&
              !denied.test(text.slice(0, match.index)) &&
              !deniedAfter.test(text.slice(match.index))
            )
              return [{ detail: `${detail}: ${match[0].slice(0, 80)}`, place }]
          }
          return []
        })
      : []

const protectedTrait =
  '(?:age|gender|sex|race|ethnicity|religion|nationality|national\\s+origin|photos?|pregnan\\w+|disabilit\\w+|marital\\s+status|sexual\\s+orientation|skin\\s+colou?r|surnames?|family\\s+names?|union\\s+membership|health\\s+status|genetic\\s+\\w+|zip\\s+codes?|postcodes?|political\\s+\\w+|mothers?|women|older\\s+(?:people|applicants|candidates|than))'

/** What is done to people, and with what they believe. */
export const peopleRules: readonly Rule[] = [
  wholeRule({
    id: 'people-discrimination',
    category: 'people',
    type: 'plan',
    severity: 'high',
    fix: 'Judge by what the task needs, and let people check for unequal outcomes.',
    hits: [
      'Let the model score applicants by age, gender and photo.',
      'Reject tenants by nationality.',
      'Raise the premium for customers by zip code and religion.',
    ],
    misses: [
      'Check each quarter whether outcomes differ by age or gender.',
      'Do not score applicants by age.',
      'Report sales by age group.',
    ],
    see: seeIn([
      [
        new RegExp(
          `\\b(?:scor|rank|reject|filter|exclud|screen|select|prioriti[sz]|price|charg|den(?:y|ies|ied)|sort|target|hir|fir|promot|rais|lower|adjust|set)\\w*\\b[^.!?;\\n]{0,80}\\b(?:applicants?|candidates?|tenants?|borrowers?|employees?|customers?|patients?|loans?|premiums?|rents?|cvs?|resumes?|people|users?|staff|salar\\w+)\\b[^.!?;\\n]{0,60}\\b(?:by|based\\s+on|according\\s+to|using|because\\s+of|with|from|who\\s+are|over|if\\s+(?:she|he|they))\\b[^.!?;\\n]{0,60}\\b${protectedTrait}\\b`,
          'i',
        ),
        'It judges people by what they are',
      ],
      [
        /\b(?:no|exclude|reject|skip|filter\s+out|avoid(?:\s+hiring)?)\s+(?:all\s+)?(?:women|men|mothers|pregnant|muslims?|jews?|christians?|black|asians?|immigrants?|foreigners|gay|disabled|older\s+(?:people|applicants|candidates)|(?:applicants|candidates|people)\s+(?:over|older\s+than)\s+\d\d)\b/i,
        'It judges people by what they are',
      ],
    ]),
  }),
  wholeRule({
    id: 'people-hazard',
    category: 'people',
    type: 'general',
    severity: 'blocker',
    fix: 'Take the advice out, and ask somebody of the trade.',
    hits: [
      'Mix bleach with vinegar for a stronger cleaner.',
      'Stop taking your insulin; the tea will do.',
      'Bypass the safety interlock so that the press runs faster.',
      'Take double the dose if it does not help at once.',
    ],
    misses: [
      'Never mix bleach with vinegar.',
      'Mixing bleach with acids is dangerous.',
      'Do not stop taking your insulin without a doctor.',
      'Test the safety interlock each week.',
    ],
    see: seeIn([
      [
        /\bmix\w*\s+(?:\w+\s+){0,3}bleach\s+(?:with|and)\s+(?:\w+\s+){0,2}(?:vinegar|ammonia|acids?|alcohol|toilet\s+cleaner|peroxide)|\b(?:vinegar|ammonia)\s+(?:with|and)\s+bleach\b/i,
        'It is dangerous',
      ],
      [
        /\b(?:stop|quit|skip|discontinue)\s+(?:taking\s+|using\s+)?(?:all\s+)?(?:your|his|her|the|their|any)\s+(?:\w+\s+){0,2}(?:insulin|medication|medicine|medicines|antibiotics|chemotherapy|anticoagulants?|blood\s+thinners?|inhaler|antidepressants?|prescription|treatment|beta[- ]blockers?)\b|\b(?:take|give|use|inject)\s+(?:\w+\s+){0,3}(?:double|twice|triple|three\s+times|ten\s+times)\s+(?:the\s+)?(?:\w+\s+){0,2}(?:dose|dosage|amount)\b|\b(?:no\s+need|don't\s+need|do\s+not\s+need|without|instead\s+of)\s+(?:to\s+|for\s+)?(?:see(?:ing)?|ask(?:ing)?|consult(?:ing)?|call(?:ing)?)?\s*(?:an?|your|any|the)\s+(?:doctor|physician|ambulance|paediatrician|emergency)/i,
        "It may cost somebody's health",
      ],
      [
        /\b(?:bypass|disable|remove|defeat|override|jumper|bridge|tape\s+(?:down|over)|disconnect|silence|ignore)\w*\s+(?:\w+\s+){0,3}(?:(?:safety|emergency)\s+(?:\w+\s+)?(?:interlocks?|switch\w*|guards?|valves?|stops?|sensors?|relays?|systems?|checks?|alarms?)|interlocks?|smoke\s+(?:alarms?|detectors?)|carbon\s+monoxide\s+\w+|circuit\s+breakers?\s+(?:in|of|on)|pressure\s+relief|ground\s+(?:wire|pin|fault)|airbags?|machine\s+guards?|lock-?out)\b/i,
        'It puts a safety device out of work',
      ],
    ]),
  }),
  wholeRule({
    id: 'people-deceit',
    category: 'people',
    type: 'plan',
    severity: 'high',
    fix: 'Say only what is so, to people who asked for it.',
    hits: [
      'Buy 8,000 bot accounts and post fake testimonials.',
      'Hide the fee until after the customer has paid.',
      'Tell investors that the audit is done, although it is not.',
      'Pay the inspector in cash so that he signs the report.',
    ],
    misses: [
      'Ask customers for honest reviews.',
      'Remove fake reviews and report bot accounts.',
      'Show the fee before the customer pays.',
      'Pay the inspector by invoice.',
    ],
    see: seeIn([
      [
        /\b(?:buy|purchas\w+|create|creat\w+|generat\w+|post|writ\w+|publish\w*|use|us\w+|order|run|set\s+up|register|open|make)\s+(?:[\w,.]{1,20}\s+){0,3}(?:fake|bot|sock-?puppets?|paid|fabricated|false|phon(?:e?y))\s*(?:\w+\s+){0,2}(?:accounts?|followers?|reviews?|testimonials?|ratings?|profiles?|users?|comments?|news|invoices?|receipts?|signatures?|documents?|references?|diplomas?|certificates?)\b|\bastro-?turf\w*|\bclick\s+farms?\b/i,
        'It deceives people',
      ],
      [
        /\b(?:hid(?:e|ing)|conceal\w*|bur(?:y|ying)|obscur\w+|omit\w*|leave\s+out|not\s+(?:mention|disclose|tell)\w*)\s+(?:\w+\s+){0,4}(?:fees?|costs?|risks?|losses|loss|terms|breach|incident|defects?|side\s+effects?|conflicts?\s+of\s+interest|problems?|recall|bugs?|leak)\b[^.!?\n]{0,80}\b(?:from|until|so\s+that|in\s+(?:the\s+)?(?:fine\s+print|footnotes?|appendix)|before|to\s+(?:customers|investors|regulators|auditors|users|the))/i,
        'It hides what others must know',
      ],
      [
        /\b(?:tell|telling|inform|assure|promise|report(?:\s+to)?|announc\w+|claim|say)\s+(?:the\s+|our\s+|all\s+)?(?:investors?|customers?|auditors?|regulators?|users?|clients?|press|board|patients?|inspectors?|bank)\b[^.!?\n]{0,100}\b(?:although|even\s+though|even\s+if|while|when)\s+(?:it|they|we|the\s+\w+|that|this|no|none)\b[^.!?\n]{0,40}\b(?:not|isn't|aren't|never|no|hasn't|haven't|didn't|yet|fail\w*)\b/i,
        'It tells people what is not so',
      ],
      [
        /\b(?:brib\w+|kickbacks?|under\s+the\s+table|facilitation\s+payments?)\b|\bpay\w*\s+(?:the\s+|an?\s+)?(?:official|inspector|officer|auditor|examiner|judge|journalist|clerk|minister)\b[^.!?\n]{0,80}\b(?:cash|so\s+that|to\s+(?:approve|sign|look\s+away|speed|ignore|pass)|privately)/i,
        'It is a bribe',
      ],
      [
        /\b(?:scrap\w+|harvest\w*|collect\w*|buy)\s+(?:\w+\s+){0,4}(?:e-?mails?|phone\s+numbers?|profiles?|personal\s+data|contacts?|addresses)\b[^.!?\n]{0,100}\b(?:cold|spam|mass|bulk|without\s+(?:their\s+)?(?:consent|asking|permission)|everyone|all\s+of\s+them|blast)|\b(?:auto-?dm|mass[- ]?(?:dm|mail|message)|spam)\s+(?:everyone|every|all|people|users)\b/i,
        'It writes to people who did not ask',
      ],
      [
        /\bnever\s+(?:admit|reveal|mention|tell|disclose)\b[^.!?\n]{0,40}\b(?:bot|ai|machine|fees?|costs?|risks?|recall|defects?|side\s+effects?)\b|\b(?:only|just)\s+(?:\w+\s+){1,3}(?:left|remaining|available)\b[^.!?\n]{0,30}\b(?:whatever|regardless|even\s+if|no\s+matter)\b|\b(?:whatever|regardless\s+of)\s+the\s+(?:stock|truth|facts?|evidence)\b/i,
        'It deceives people',
      ],
      [
        /\b(?:no\s+report|(?:don't|do\s+not|never)\s+(?:report|record|document|notify|write\s+(?:it|this)\s+down|call\s+an?\s+ambulance))\b[^.!?\n]{0,60}\b(?:insurers?|insurance|inspectors?|authorit\w+|scares?|trouble|bad\s+press|fuss|reputation|press)\b/i,
        'It hides what others must know',
      ],
      [
        /\b(?:other|competing|competitors'?|rivals?'?)\s+bids?\b[^!?\n]{0,60}\b(?:undercut|under-?bid|before\s+(?:the|we)|beat)|\b(?:agree|align|fix|coordinat\w+)\s+(?:on\s+)?(?:the\s+|our\s+)?(?:prices?|bids?|quotes?|tenders?)\s+with\s+(?:the\s+|our\s+)?(?:\w+\s+)?(?:competitors?|rivals?|other\s+bidders?)\b/i,
        'It rigs a tender or a price',
      ],
      [
        /\b(?:dark\s+patterns?|(?:make|making)\s+(?:it\s+)?(?:hard|difficult|impossible)\s+(?:for\s+\w+\s+)?to\s+(?:cancel|unsubscribe|leave|opt\s+out)|pre-?tick\w*|auto-?enrol\w*\s+(?:all|every\w*|users?|customers?)|fake\s+(?:countdown|scarcity|discounts?|urgency))\b/i,
        'It tricks people',
      ],
    ]),
  }),
  wholeRule({
    id: 'people-terms',
    category: 'people',
    type: 'general',
    severity: 'high',
    fix: 'Strike the clause, or let a lawyer say that it holds.',
    hits: [
      'The contractor waives all claims and hands over the passport.',
      'The worker may not leave for five years and works unlimited hours.',
      'The supplier accepts unlimited liability for every damage of any kind.',
      'The landlord may enter at any time without notice.',
    ],
    misses: [
      'The contractor may end the contract with 30 days of notice.',
      'Neither party accepts unlimited liability.',
      'The landlord may enter after 24 hours of notice.',
    ],
    see: seeIn([
      [
        /\bwaives?\s+(?:all|any|every)\s+(?:\w+\s+){0,3}(?:claims?|rights?|remed\w+|liabilit\w+|protections?)\b|\b(?:hands?\s+over|surrenders?|deposits?|gives?\s+up|retains?|keeps?)\s+(?:\w+\s+){0,2}(?:passports?|identity\s+(?:card|documents?)|id\s+cards?)\b|\bunlimited\s+(?:hours|overtime|(?:personal\s+)?liability)\b|\bmay\s+(?:not|never)\s+(?:leave|resign|quit|terminate|cancel|sue|complain|join\s+a\s+union)\b|\b(?:may|can|is\s+entitled\s+to)\s+(?:change|modify|raise|terminate|enter|amend|increase)\b[^.!?\n]{0,80}\bat\s+any\s+time\b[^.!?\n]{0,40}\bwithout\s+(?:\w+\s+)?(?:notice|consent|reason)|\bwithout\s+pay(?:ment)?\s+for\s+(?:overtime|\w+\s+months)|\b(?:indentur\w+|debt\s+bondage)\b|\bperpetual(?:ly)?,?\s+(?:and\s+)?irrevocabl[ey]\b[^.!?\n]{0,80}\b(?:all|any|every)\b/i,
        'A term that takes too much',
      ],
    ]),
  }),
]
