import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { clean } from '../../lib/text/clean.ts'
import type { Vies } from '../../ports/vies/port.ts'
import type { Note } from './meta.ts'
import { skill } from './skill.ts'
import { countries } from './vat/countries.ts'
import { parseVat, type Vat } from './vat/read-vat.ts'

const hour = 3600

const toCacheKey = (text: string): string => {
  const vat = parseVat(text)
  return vat ? vat.code + vat.number : text
}

const VatInput = z
  .string()
  .max(40)
  .refine(
    text => parseVat(text) !== undefined,
    `must be a VAT number with the prefix of its country, such as BE0403170701: ${Object.keys(countries).join(', ')}`,
  )
  .describe('VAT number with its country prefix; spaces, dots and lower case are fine, GR counts as EL')

type Offline = { format_valid: boolean; checksum_valid: boolean | null }

const checkOffline = ({ country, number }: Vat): Offline => {
  const formatValid = country.format.test(number)
  return { format_valid: formatValid, checksum_valid: formatValid ? country.check(number) : null }
}

/** Facts sure without VIES, for a caller who gets no verdict. */
const offlineHint = ({ code, number }: Vat, { checksum_valid: checksumValid }: Offline): string => {
  const digits =
    checksumValid === null
      ? 'it has no check digits to test'
      : `its check digits are ${checksumValid ? 'right' : 'wrong'}`
  return `Ask again later. Known without VIES: ${code}${number} has the format of its country, and ${digits}.`
}

const RequesterInput = z
  .string()
  .max(40)
  .refine(text => {
    const vat = parseVat(text)
    return vat !== undefined && vat.code !== 'GB' && vat.country.format.test(vat.number)
  }, 'must be the VAT number of the company that asks, with the prefix of its country, such as BE0403170701')
  .optional()
  .describe(
    'VAT number of the company that asks: then VIES gives a consultation number, a proof for its tax office',
  )

type Asking = { vat: Vat; requester: Vat | undefined; offline: Offline; signal: AbortSignal }

const ask = async (vies: Vies, { vat, requester, offline, signal }: Asking) => {
  try {
    const who = requester && { requester: { country: requester.code, number: requester.number } }
    return await vies.check(vat.code, vat.number, { signal, ...who })
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'upstream') throw error
    throw new ToolError('upstream', error.message, {
      ...error.extra,
      hint: offlineHint(vat, offline),
      cause: error,
    })
  }
}

const unaskedFields = {
  name: null,
  address: null,
  request_date: null,
  consultation_number: null,
  source: null,
}

const wrongFormat = ({ country }: Vat): Note => ({
  code: 'wrong_format',
  message: `VIES was not asked: numbers of ${country.name} are ${country.looks}.`,
})

const leftVies: Note = {
  code: 'not_in_vies',
  message:
    'Great Britain left VIES on 1 January 2021, so nobody was asked. For Northern Ireland use the prefix XI; for GB numbers ask HMRC.',
}

const wrongDigits: Note = {
  code: 'wrong_check_digits',
  message: 'The check digits do not fit the number, yet VIES says that it is valid; VIES counts.',
}

const noConsultation: Note = {
  code: 'no_consultation_number',
  message: 'VIES gave no consultation number, although it was told who asks. Ask again for one.',
}

const notAsked: Note = {
  code: 'requester_unused',
  message: 'There is no consultation number: VIES was not asked.',
}

/** One line, as the registries pad and break theirs. */
const line = (text: string | null): string | null => clean(text?.trim().replace(/\s*\n\s*/g, ', '), 500)

export default skill({
  id: 'vies-check',
  argument: 'vat',
  price: '0.004',
  tags: ['vat', 'company', 'eu'],
  keywords: ['tax', 'ids', 'european', 'id', 'validate', 'fiscal'],
  openWorld: true,
  cacheSec: 24 * hour,
  key: ({ vat, requester }) => [toCacheKey(vat), requester === undefined ? null : toCacheKey(requester)],
  title: 'Check an EU VAT number',
  description:
    'Checks a VAT number offline by format and check digits, then asks VIES, the official EU registry, whether it is valid and for which company, with a consultation number when requester is given. An outage of VIES is an error to retry, never "invalid". Free over A2A and MCP, else 0.004 USD.',
  input: z.object({ vat: VatInput, requester: RequesterInput }),
  output: z.object({
    vat: z.string().describe('The number as VIES takes it, with prefix'),
    country_code: z.string().describe('Prefix: EL for Greece, XI for Northern Ireland'),
    country: z.string().describe('Country in English'),
    number: z.string().describe('The number without prefix'),
    format_valid: z.boolean().describe('True when it has the format of its country'),
    checksum_valid: z
      .boolean()
      .nullable()
      .describe('True when its check digits fit; null when it has none or the format is wrong'),
    valid: z
      .boolean()
      .nullable()
      .describe('Verdict of VIES; false too when the format is wrong; null for GB, which left VIES'),
    status: z.enum(['valid', 'invalid', 'unavailable']).describe('The verdict as a word'),
    name: z.string().nullable().describe('Registered name; null where the country does not tell'),
    address: z.string().nullable().describe('Registered address in one line; null where it is not told'),
    request_date: z.string().nullable().describe('When VIES answered, as it says'),
    consultation_number: z
      .string()
      .nullable()
      .describe('Proof that requester asked on this day, for its tax office; null without a requester'),
    requester: z.string().nullable().describe('VAT number of who asked; null when nobody was named'),
    source: z.literal('VIES').nullable().describe('Who gave the verdict; null when nobody was asked'),
  }),
  needs: ['vies'],
  examples: [{ vat: 'BE 0403.170.701' }, { vat: 'BE0403170701', requester: 'EL094259216' }],
  summary: ({ vat, status, name }) => {
    if (status === 'unavailable') return `There is no verdict on ${vat}.`
    return status === 'valid' ? `${vat} is valid${name === null ? '' : `: ${name}`}.` : `${vat} is not valid.`
  },
}).run(async ({ vies, signal }, { vat: input, requester: askedBy }) => {
  const vat = parseVat(input)
  if (!vat) throw new ToolError('invalid_input', 'vat: must be a VAT number such as BE0403170701.')
  const offline = checkOffline(vat)
  const { code, number, country } = vat
  const requester = askedBy === undefined ? undefined : parseVat(askedBy)
  const vatFields = {
    vat: code + number,
    country_code: code,
    country: country.name,
    number,
    ...offline,
    requester: requester ? requester.code + requester.number : null,
  }
  const unused = requester ? [notAsked] : []
  if (code === 'GB')
    return {
      ...vatFields,
      ...unaskedFields,
      valid: null,
      status: 'unavailable',
      about: { warnings: [leftVies, ...unused] },
    }
  if (!offline.format_valid)
    return {
      ...vatFields,
      ...unaskedFields,
      valid: false,
      status: 'invalid',
      about: { warnings: [wrongFormat(vat), ...unused] },
    }
  const answer = await ask(vies, { vat, requester, offline, signal })
  const consultationNumber = clean(answer.consultationNumber, 40)
  return {
    ...vatFields,
    valid: answer.valid,
    status: answer.valid ? 'valid' : 'invalid',
    name: line(answer.name),
    address: line(answer.address),
    request_date: clean(answer.requestDate, 40),
    consultation_number: consultationNumber,
    source: 'VIES',
    about: {
      sources: [answer.source],
      warnings: [
        ...(answer.valid && offline.checksum_valid === false ? [wrongDigits] : []),
        ...(requester && consultationNumber === null ? [noConsultation] : []),
      ],
    },
    // A consultation is of one company at one moment: nobody else gets its number.
    keepSec: requester ? 0 : answer.valid ? 24 * hour : hour,
  }
})
