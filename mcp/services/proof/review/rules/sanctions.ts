import type { Artifact } from '../artifact.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'

const lists =
  /\b(?:OFAC|SDN|UN\s+(?:consolidated|sanctions|security\s+council)|(?:EU|UN|UK)\s+lists?|EU\s+(?:consolidated|sanctions|financial)|HMT|OFSI|UK\s+sanctions|SECO|DFAT|consolidated\s+list)\b/i
const date =
  /\b(?:20\d{2}-\d{2}-\d{2}|\d{1,2}\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\s+20\d{2}|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\s+\d{1,2},?\s+20\d{2})\b/i
const clears =
  /\b(?:clear(?:ed)?|no\s+(?:match(?:es)?|hits?)|not\s+sanctioned|pass(?:ed)?|proceed|approve[ds]?|safe\s+to\s+(?:pay|trade|onboard)|negative|low\s+risk|false\s+positive)\b/i
const embargoed =
  /\b(?:iran(?:ian)?|tehran|north\s+korea|dprk|pyongyang|syria(?:n)?|damascus|cuba(?:n)?|havana|crimea(?:n)?|sevastopol|donetsk|luhansk)\b/i
const refuses =
  /\b(?:reject(?:ed)?|decline[ds]?|block(?:ed)?|do\s+not\s+proceed|hold|escalat\w+|refus\w+|true\s+match|stop(?:ped)?)\b/i

const isScreening = ({ type }: Artifact): boolean => type === 'sanctions_screening'

export const sanctionsRules: readonly Rule[] = [
  wholeRule({
    id: 'sanctions-basis',
    category: 'sanctions',
    type: 'sanctions_screening',
    severity: 'high',
    fix: 'Name each list, its date, and by what the person or company was told apart.',
    hits: [
      'Acme Ltd is clear, proceed.',
      'Screened John Smith against OFAC SDN: no match.',
      'Acme Ltd: no hits on 2026-11-20.',
    ],
    misses: [
      'Screened Acme Ltd (reg. no. 123456) against OFAC SDN and the EU consolidated list of 2026-11-20: no match.',
      'Possible match for Al Noor on the EU list. Hold the payment until compliance has looked at it.',
      '{"name":"A","registration_number":"1","list":"OFAC SDN","list_date":"2026-11-20","decision":"clear"}',
      'Screened John Smith, DOB 1980-02-03, passport X1, against OFAC SDN (2026-11-20): no match.',
    ],
    see(artifact) {
      if (!isScreening(artifact)) return []
      const text = artifact.text.replaceAll('_', ' ')
      // Who holds back and asks needs no more than the suspicion.
      if (
        refuses.test(text.replace(/false\s+positive/gi, '')) &&
        !/\b(?:clear(?:ed)?|proceed|approved?|release[ds]?|passed)\b/i.test(text)
      )
        return []
      const hits: Hit[] = []
      if (!lists.test(text)) hits.push({ detail: 'It names no sanctions list.', place: { path: 'lists' } })
      if (!date.test(text))
        hits.push({ detail: 'It does not say of what date the lists are.', place: { path: 'date' } })
      if (
        hits.length === 0 &&
        !/\b(?:dob|date\s+of\s+birth|born|passport|reg(?:istration)?\.?\s*(?:no|number)|lei|company\s+number|national(?:ity)?\s*id|id\s+number|imo|tax\s+id|ein|vat|hr[ab]\s?\d+|uid|kvk|sire[nt]|crn|companies\s+house|fn\s?\d{4,}\w?|che-\d+|krs|0x[0-9a-f]{40}|registration)\b/i.test(
          text,
        )
      )
        hits.push({
          detail: 'A name alone tells nobody apart.',
          place: { path: 'identifiers' },
          severity: 'medium',
        })
      return hits
    },
  }),
  wholeRule({
    id: 'sanctions-match',
    category: 'sanctions',
    type: 'sanctions_screening',
    severity: 'blocker',
    fix: 'Stop, and let somebody who may decide it look at the match.',
    hits: [
      'OFAC SDN 2026-11-20: match score 0.97, cleared as false positive, DOB 1980-01-01.',
      'Beneficiary bank in Tehran, Iran. OFAC list of 2026-11-20: no match, proceed.',
      '{"name":"X","match_score":92,"decision":"clear","list":"OFAC SDN","date":"2026-11-20","dob":"1980-01-01"}',
      'Hit on EU consolidated list 2026-11-20 for reg. no. 5; proceed with payment anyway.',
      'The wallet received funds from Tornado Cash. OFAC 2026-11-20. Proceed.',
      '60 % owned by a person on the OFAC SDN list (2026-11-20); the company is not listed (reg. no. 2). Approved.',
    ],
    misses: [
      'OFAC SDN 2026-11-20: match score 0.12 on name, DOB differs; clear.',
      'Match score 0.97 on OFAC SDN 2026-11-20, passport equal: payment blocked and escalated.',
      'Bank in Tehran: declined. OFAC, 2026-11-20, reg. no. 1',
    ],
    see(artifact) {
      if (!isScreening(artifact) || refuses.test(artifact.text.replace(/false\s+positive/gi, ''))) return []
      const { text } = artifact
      const hits: Hit[] = []
      const score =
        /(?:score|similarity|match|confidence)["']?\s*(?:of|:|=|is)?\s*["']?(\d{1,3}(?:\.\d+)?)\s?(%)?/i.exec(
          text,
        )
      const reversed = /(\d{1,3}(?:\.\d{1,4})?)\s?%\s+(?:name\s+)?(?:match|similar)/i.exec(text)
      const value = reversed
        ? Number(reversed[1])
        : score
          ? Number(score[1]) * (score[2] || Number(score[1]) > 1 ? 1 : 100)
          : 0
      if (value >= 85 && clears.test(text)) hits.push({ detail: `A match of ${value} % is cleared.` })
      if (
        embargoed.test(text) &&
        !/\b(?:no|without|not\s+in)\s+(?:\w+\s+){0,5}(?:iran|cuba|syria|north\s+korea|crimea)/i.test(text)
      )
        hits.push({ detail: `It goes to a place under embargo: ${embargoed.exec(text)?.[0]}.` })
      if (
        /\b(?:true\s+match|positive\s+match|confirmed\s+(?:match|hit)|hit\s+on|is\s+(?:listed|sanctioned|on\s+the))\b/i.test(
          text,
        ) &&
        /\b(?:proceed|approve|clear|anyway|release)\b/i.test(text) &&
        !/\bnot\s+(?:listed|sanctioned|on)\b/i.test(text)
      )
        hits.push({ detail: 'It goes on in spite of a match.' })
      const holding =
        /(?:(\d{1,3})(?:\.\d+)?\s?%\s+)?(?<!\b(?:not|nor|no)\s)\b(?:owned|controlled|held)\b[^.;\n]{0,60}(?<!\b(?:not|un)\s?)\b(?:on\s+the\s+(?:\w+\s+){0,3}list|listed|sanctioned|SDN|designated|blocked\s+person)\b/i.exec(
          text,
        )
      if (holding && Number(holding[1] ?? 50) >= 50 && clears.test(text))
        hits.push({ detail: 'Whoever owns it is on a list, and it is cleared.' })
      if (
        /\b(?:tornado\s+cash|blender\.io|sinbad|garantex|lazarus|hydra\s+market)\b/i.test(text) &&
        !/\bno\s+(?:\w+\s+){0,4}(?:tornado|garantex|lazarus)/i.test(text)
      )
        hits.push({ detail: 'It names a party that is on a list.' })
      return hits
    },
  }),
]
