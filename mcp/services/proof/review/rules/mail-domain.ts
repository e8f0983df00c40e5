import { type Hit, type Rule, wholeRule } from '../rule.ts'

const seesRecord = (row: string): Hit | string | undefined => {
  const spf = /\bv=spf1\b[^"'\n]{0,400}/i.exec(row)?.[0]
  if (spf !== undefined) {
    if (/\s\+?all\b/i.test(spf) || /\sip[46]:(?:0\.0\.0\.0\/[0-7]\b|::\/0)/i.test(spf))
      return 'Everybody may send mail in the name of the domain.'
    return /\s\?all\b/i.test(spf)
      ? { detail: 'Mail of strangers is taken for that of the domain.', severity: 'medium' }
      : undefined
  }
  const dmarc = /\bv=DMARC1\b[^"'\n]{0,400}/i.exec(row)?.[0]
  // To watch before enforcing is a beginning, where reports go somewhere.
  if (dmarc !== undefined)
    return /\bp\s?=\s?none\b/i.test(dmarc) && !/\brua\s?=/i.test(dmarc)
      ? { detail: 'Forged mail is delivered, and nobody hears of it.', severity: 'medium' }
      : undefined
  return /\bv=STSv1\b|\bmta[-_]sts\b/i.test(row) && /\bmode\s?[:=]\s?["']?none\b/i.test(row)
    ? { detail: 'Mail may travel without encryption.', severity: 'medium' }
    : undefined
}

/** Records of a domain that say who may send mail in its name. */
export const mailDomainRules: readonly Rule[] = [
  wholeRule({
    id: 'config-mail-forged',
    category: 'configuration',
    type: 'config_change',
    severity: 'high',
    fix: 'End SPF in -all, name the servers that send, and let DMARC reject or quarantine.',
    hits: [
      '@ 300 IN TXT "v=spf1 include:_spf.example.net +all"',
      'records = ["v=spf1 all"]',
      '{"Type": "TXT", "Value": "\\"v=spf1 ip4:0.0.0.0/0 -all\\""}',
      '_dmarc IN TXT "v=DMARC1; p=none; pct=0"',
      '--- a/zone\n+++ b/zone\n@@ -1 +1 @@\n-@ TXT "v=spf1 mx -all"\n+@ TXT "v=spf1 mx ?all"',
    ],
    misses: [
      '@ 3600 IN TXT "v=spf1 include:_spf.example.net ip4:192.0.2.25 -all"',
      'records = ["v=spf1 mx ~all"]',
      '_dmarc IN TXT "v=DMARC1; p=reject; rua=mailto:d@example.org"',
      '_dmarc IN TXT "v=DMARC1; p=none; rua=mailto:d@example.org"',
      '--- a/zone\n+++ b/zone\n@@ -1 +1 @@\n-@ TXT "v=spf1 mx +all"\n+@ TXT "v=spf1 mx -all"',
    ],
    see: ({ lines, type }) =>
      /^(?:config_change|general|code_diff|patch|shell_command)$/.test(type)
        ? lines.flatMap(({ text, change, isProse, place }): Hit[] => {
            if (change === 'removed' || change === 'context' || isProse || /^\s*(?:;|#|\/\/)/.test(text))
              return []
            const seen = seesRecord(text)
            if (seen === undefined) return []
            return [typeof seen === 'string' ? { detail: seen, place } : { place, ...seen }]
          })
        : [],
  }),
]
