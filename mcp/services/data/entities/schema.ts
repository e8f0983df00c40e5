import { z } from 'zod'

const place = {
  raw: z.string().describe('As it stands in the text'),
  start: z.number().int().describe('Where it starts, in UTF-16 code units from 0'),
  end: z.number().int().describe('Where it ends, that place excluded'),
  occurrences: z
    .number()
    .int()
    .describe('How often the value occurs; always 1 when every occurrence is listed'),
}

const iso = z.string().nullable()

/** The lists of entities, by kind. */
export const entities = {
  emails: z
    .array(
      z.object({
        email: z.string().describe('With the domain in lower case and ASCII'),
        domain: z.string().describe('The domain in ASCII'),
        obfuscated: z.boolean().describe('True when it was written with "at" and "dot"'),
        ...place,
      }),
    )
    .describe('E-mail addresses'),
  urls: z
    .array(
      z.object({
        url: z.string().describe('Absolute; https where the text names no scheme'),
        host: z.string().describe('Host in ASCII'),
        kind: z.enum(['url', 'domain']).describe('domain: it stands in the text without scheme and www'),
        ...place,
      }),
    )
    .describe('URLs and domain names'),
  ips: z
    .array(
      z.object({
        ip: z.string().describe('The address, IPv6 in its short form'),
        version: z.union([z.literal(4), z.literal(6)]).describe('IP version'),
        prefix: z.number().int().nullable().describe('Length of the network prefix where one is written'),
        private: z.boolean().describe('True for private, shared, link-local and loopback addresses'),
        ...place,
      }),
    )
    .describe('IP addresses'),
  phones: z
    .array(
      z.object({
        e164: z.string().describe('International form such as +3225551212'),
        country: z.string().nullable().describe('ISO 3166 country code'),
        valid: z
          .boolean()
          .describe('True when the number fits the numbering plan; false when only its length does'),
        extension: z.string().nullable().describe('Extension after the number'),
        ...place,
      }),
    )
    .describe('Phone numbers'),
  dates: z
    .array(
      z.object({
        iso: iso.describe(
          'ISO 8601 at its precision; UTC with Z when the text names a zone, local time otherwise; null when the year is unknown',
        ),
        iso_end: iso.describe('End of a range'),
        precision: z.enum(['year', 'month', 'day', 'minute', 'second']).describe('How exact the date is'),
        ambiguous: z.boolean().describe('True when it can be read in two ways or the year is unknown'),
        other_iso: iso.describe('The other reading, where day and month may be swapped'),
        relative: z.boolean().describe('True when it was counted from the reference time'),
        ...place,
      }),
    )
    .describe('Dates, with a time where there is one'),
  hashtags: z
    .array(z.object({ tag: z.string().describe('Without the mark'), ...place }))
    .describe('Hashtags'),
  mentions: z
    .array(
      z.object({
        name: z.string().describe('Without the mark'),
        host: z.string().nullable().describe('Host of a mention such as @ada@example.social'),
        ...place,
      }),
    )
    .describe('Mentions of accounts'),
  money: z
    .array(
      z.object({
        amount: z.string().describe('Exact decimal number in whole units: 50 cents are 0.5'),
        currency: z.string().nullable().describe('ISO 4217 code; $ alone counts as USD; null when unknown'),
        ambiguous: z
          .boolean()
          .describe(
            'True when it can be read in two ways, when what stands right beside it was not understood, and where several currencies share the sign',
          ),
        other_amount: z
          .string()
          .nullable()
          .describe(
            'The other reading: 1.5 where "$1.500" is read as 1500, 1000000000 for a "billion" of 10^12',
          ),
        ...place,
      }),
    )
    .describe('Amounts of money'),
  ibans: z
    .array(
      z.object({
        iban: z.string().describe('Without spaces, in capitals'),
        country: z.string().describe('ISO 3166 country code'),
        valid: z.boolean().describe('True when the check digits fit'),
        ...place,
      }),
    )
    .describe('International bank account numbers'),
  vat_numbers: z
    .array(
      z.object({
        vat: z.string().describe('With its prefix, without spaces'),
        country: z.string().describe('Prefix as VIES writes it: EL for Greece, XI for Northern Ireland'),
        valid: z
          .boolean()
          .nullable()
          .describe('True when the check digits fit; null where the country publishes no check'),
        ...place,
      }),
    )
    .describe('VAT numbers of the European Union and Great Britain'),
  crypto_addresses: z
    .array(
      z.object({
        address: z.string().describe('As it is written; segwit addresses in lower case'),
        network: z.string().describe('bitcoin, litecoin, dogecoin, tron, or evm for Ethereum and its like'),
        valid: z
          .boolean()
          .nullable()
          .describe('True when the checksum fits; null where the spelling carries none'),
        ...place,
      }),
    )
    .describe('Addresses of blockchains'),
}

const number = (what: string) => z.number().int().describe(what)

export const counts = z.object({
  emails: number('E-mail addresses'),
  urls: number('URLs and domain names'),
  ips: number('IP addresses'),
  phones: number('Phone numbers'),
  dates: number('Dates'),
  hashtags: number('Hashtags'),
  mentions: number('Mentions'),
  money: number('Amounts of money'),
  ibans: number('International bank account numbers'),
  vat_numbers: number('VAT numbers'),
  crypto_addresses: number('Addresses of blockchains'),
})
