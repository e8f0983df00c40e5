import { z } from 'zod'

const text = (what: string) => z.string().nullable().describe(what)
const flag = (what: string) => z.boolean().nullable().describe(what)
const whole = (what: string) => z.number().int().nullable().describe(what)
const list = (what: string) => z.array(z.string()).describe(what)

/** Facts told of a domain. */
export const Intel = z.object({
  domain: z.string().describe('The domain in ASCII (punycode)'),
  unicode: z.string().describe('The domain as people read it'),
  registrable: text('The registrable domain it belongs to; null for a public suffix'),
  exists: flag('The DNS knows the name'),
  resolves: flag('The name itself has an address'),
  wildcard: flag('Any name under it has an address'),
  dns_provider: text('Who runs its name servers, where they tell'),
  mail: z
    .object({
      provider: text('Mail provider, where the servers tell'),
      mx: list('Mail servers by preference'),
      spf: text('SPF record'),
      dmarc: text('DMARC record that applies'),
      spoofable: flag('Strangers can send mail in its name'),
      spoofability: z.string().describe('protected, partial, spoofable or unknown'),
    })
    .describe('Mail'),
  deliverability: z
    .object({ score: whole('0 to 100'), grade: text('A, B, C, D or F') })
    .describe('How well its mail is set up; null when unknown'),
  web: z
    .object({
      url: z.string().describe('Where the site is, after redirects'),
      status: z.number().int().describe('HTTP status'),
      server: text('Web server'),
      cdn: text('Content delivery network'),
      hosting: text('Hosting'),
      framework: text('Framework'),
      cms: text('Content system'),
      tech: list('Technologies, surest first'),
      tech_count: z.number().int().describe('Number of technologies'),
      https: z.boolean().describe('It comes over https'),
      hsts: z.boolean().describe('HSTS is on'),
    })
    .nullable()
    .describe('The web site; null when there is none or it did not answer, see parts'),
  metadata: z
    .object({ title: text('Title'), description: text('Description'), lang: text('Language') })
    .nullable()
    .describe('What the page says about itself'),
  services: list('Services in use, by TXT records and SPF'),
  service_count: z.number().int().describe('Number of services'),
  registration: z
    .object({
      registered: z.boolean().describe('The registry knows it'),
      created: text('When it was registered, UTC'),
      expires: text('When it expires, UTC'),
      age_days: whole('Days since it was registered'),
      registrar: text('Registrar'),
    })
    .nullable()
    .describe('Registration; null when the registry did not tell'),
  signals: z
    .array(
      z.object({
        code: z.string().describe('Stable code'),
        severity: z.enum(['high', 'medium', 'low', 'info']).describe('How much it matters'),
        text: z.string().describe('What it is'),
      }),
    )
    .describe('What is worth a look, worst first'),
  signal_count: z.number().int().describe('Number of signals'),
  parts: z
    .record(
      z.string(),
      z.object({
        ok: z.boolean().describe('It worked'),
        ms: z.number().int().describe('Milliseconds'),
        error: text('Why it failed'),
      }),
    )
    .describe('How each part went; one that is missing had nothing to do'),
})
