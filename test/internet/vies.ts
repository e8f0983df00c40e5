import type { Page } from './web-server.ts'

type Route = readonly [host: string, path: string, page: Page]

/** The numbers of VIES's own test service, with what each is answered. */
export const viesTestNumbers: Readonly<Record<string, string>> = {
  100: 'VALID',
  200: 'INVALID',
  201: 'INVALID_INPUT',
  202: 'INVALID_REQUESTER_INFO',
  300: 'SERVICE_UNAVAILABLE',
  301: 'MS_UNAVAILABLE',
  302: 'TIMEOUT',
  400: 'VAT_BLOCKED',
  401: 'IP_BLOCKED',
  500: 'GLOBAL_MAX_CONCURRENT_REQ',
  501: 'GLOBAL_MAX_CONCURRENT_REQ_TIME',
  600: 'MS_MAX_CONCURRENT_REQ',
  601: 'MS_MAX_CONCURRENT_REQ_TIME',
}

type Company = { name: string; address: string }

/** Registered companies; Germany and Spain tell no name. */
const companies: Readonly<Record<string, Company>> = {
  BE0403170701: { name: 'NV EXAMPLE', address: 'Regentlaan 8\n1000 Brussel' },
  EL094259216: { name: 'ΠΑΡΑΔΕΙΓΜΑ ΑΕ', address: '  ΑΘΗΝΑΣ 1   \n 10431 - ΑΘΗΝΑ\n' },
  DE136695976: { name: '---', address: '---' },
}

const told = (country: string, number: string, code: string) => ({
  isValid: code === 'VALID',
  requestDate: '2026-11-21T09:30:00.000Z',
  userError: code,
  name: '---',
  address: '---',
  requestIdentifier: '',
  originalVatNumber: number,
  vatNumber: number,
  ...companies[country + number],
})

/** The other shape VIES answers in: `valid` for a verdict, `errorWrappers` for a failure. */
const toldOtherwise = (country: string, number: string, code: string) => {
  if (code !== 'VALID' && code !== 'INVALID')
    return { actionSucceed: false, errorWrappers: [{ error: code }] }
  const { isValid: valid, requestDate, name, address } = told(country, number, code)
  return {
    countryCode: country,
    vatNumber: number,
    requestDate,
    valid,
    requestIdentifier: 'WAPI1',
    name,
    address,
  }
}

const codeOf = (country: string, number: string): string =>
  viesTestNumbers[number.slice(-3)] && /^(?:GD|HA|)\d{3}$/.test(number)
    ? (viesTestNumbers[number.slice(-3)] ?? '')
    : companies[country + number]
      ? 'VALID'
      : 'INVALID'

type Question = Record<'countryCode' | 'vatNumber' | 'requesterMemberStateCode' | 'requesterNumber', string>

let consultations = 0

/** POST /check-vat-number: the company that asks gets a number for it; one that VIES does not know is refused. */
const consult = ({ countryCode, vatNumber, requesterMemberStateCode, requesterNumber }: Question) => {
  const isKnown = companies[requesterMemberStateCode + requesterNumber] !== undefined
  const code = isKnown ? codeOf(countryCode, vatNumber) : 'INVALID_REQUESTER_INFO'
  const requestIdentifier = `WAPIAAAA${++consultations}`
  return { ...toldOtherwise(countryCode, vatNumber, code), ...(isKnown && { requestIdentifier }) }
}

const answer: Page = async (request, response) => {
  if (request.method === 'POST') {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(consult(JSON.parse(Buffer.concat(chunks).toString()))))
    return
  }
  const [, shape = '', , country = '', , number = ''] = decodeURIComponent(request.url ?? '').split('/')
  const tell = shape === 'other-shape' ? toldOtherwise : told
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(tell(country, number, codeOf(country, number))))
}

/** VIES on vies.example.com: `/rest-api` as it answers to GET, `/other-shape` as it answers to POST. */
export const viesPages: readonly Route[] = [['vies.example.com', '*', answer]]
