import { beforeEach, describe, expect, test } from 'vitest'
import { viesTestNumbers } from '../../internet/vies.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)
beforeEach(() => {
  data.internet.web.visits.length = 0
})

const check = (vat: string) => data.ask('vies-check', { vat })
const asked = () => data.internet.web.visits.map(visit => visit.path)

describe('vies-check', () => {
  test('tells whether a number is valid, and for whom', async () => {
    expect(await check('BE 0403.170.701')).toMatchObject({
      vat: 'BE0403170701',
      country_code: 'BE',
      country: 'Belgium',
      number: '0403170701',
      format_valid: true,
      checksum_valid: true,
      valid: true,
      status: 'valid',
      name: 'NV EXAMPLE',
      address: 'Regentlaan 8, 1000 Brussel',
      request_date: '2026-11-21T09:30:00.000Z',
      consultation_number: null,
      source: 'VIES',
      meta: { warnings: [], sources: ['http://vies.example.com/rest-api/ms/BE/vat/0403170701'] },
    })
  })

  test('gives a consultation number of its own to each question of a company that names itself', async () => {
    const consult = () => data.ask('vies-check', { vat: 'BE0403170701', requester: 'gr 94259216' })
    const [first, second] = [await consult(), await consult()]
    for (const answer of [first, second])
      expect(answer).toMatchObject({
        valid: true,
        requester: 'EL094259216',
        consultation_number: expect.stringMatching(/^WAPI/),
        meta: { cached: false, warnings: [], sources: ['http://vies.example.com/rest-api/check-vat-number'] },
      })
    expect(first.consultation_number).not.toBe(second.consultation_number)
    expect(await check('BE0403170701')).toMatchObject({ consultation_number: null, requester: null })
  })

  test('refuses a company that cannot ask, by its field', async () => {
    for (const requester of ['nonsense', 'GB123456789', 'BE12', 'BE0999999999']) {
      const error = await refused(data.ask('vies-check', { vat: 'BE0403170701', requester }))
      expect(error.toProblem()).toMatchObject({ code: 'invalid_input', issues: [{ path: 'requester' }] })
    }
  })

  test('says that there is no proof where nobody was asked', async () => {
    const answer = await data.ask('vies-check', { vat: 'GB123456789', requester: 'EL094259216' })
    expect(answer).toMatchObject({
      consultation_number: null,
      meta: { warnings: [{ code: 'not_in_vies' }, { code: 'requester_unused' }] },
    })
  })

  test.each(['be 403 170 701', 'BE0403170701', ' be0403.170.701', 'ＢＥ0403-170-701'])(
    'reads %s as the same number and asks once',
    async vat => {
      expect(await check(vat)).toMatchObject({ vat: 'BE0403170701', valid: true, meta: { cached: true } })
      expect(asked()).toEqual([])
    },
  )

  test('asks about Greece as EL, whatever it is called', async () => {
    expect(await check('GR 94259216')).toMatchObject({
      vat: 'EL094259216',
      country: 'Greece',
      valid: true,
      name: 'ΠΑΡΑΔΕΙΓΜΑ ΑΕ',
      address: 'ΑΘΗΝΑΣ 1, 10431 - ΑΘΗΝΑ',
    })
    expect(asked()).toEqual(['/rest-api/ms/EL/vat/094259216'])
  })

  test('knows no name where the country tells none', async () => {
    expect(await check('DE136695976')).toMatchObject({ valid: true, name: null, address: null })
  })

  test('says invalid when VIES does', async () => {
    expect(await check('NL123456782B90')).toMatchObject({ valid: false, status: 'invalid', source: 'VIES' })
  })

  test('asks even when the check digits are wrong, and reports them', async () => {
    expect(await check('DE136695977')).toMatchObject({
      format_valid: true,
      checksum_valid: false,
      valid: false,
      source: 'VIES',
    })
    expect(asked()).toHaveLength(1)
  })

  test('believes VIES more than check digits', async () => {
    data.internet.web.site('vies.example.com', '/rest-api/ms/DE/vat/136695978', {
      body: '{"isValid":true,"userError":"VALID","name":"Alt GmbH","address":"---"}',
    })
    expect(await check('DE136695978')).toMatchObject({
      checksum_valid: false,
      valid: true,
      name: 'Alt GmbH',
      meta: { warnings: [{ code: 'wrong_check_digits' }] },
    })
  })

  test('asks nobody about a number whose format is wrong', async () => {
    expect(await check('DE12345')).toMatchObject({
      format_valid: false,
      checksum_valid: null,
      valid: false,
      status: 'invalid',
      source: null,
      meta: { warnings: [{ code: 'wrong_format', message: expect.stringContaining('DE and 9 digits') }] },
    })
    expect(asked()).toEqual([])
  })

  test('asks nobody about Great Britain, which is neither valid nor invalid', async () => {
    expect(await check('GB 980 7806 84')).toMatchObject({
      format_valid: true,
      checksum_valid: true,
      valid: null,
      status: 'unavailable',
      source: null,
      meta: { warnings: [{ code: 'not_in_vies', message: expect.stringContaining('XI') }] },
    })
    expect(asked()).toEqual([])
  })

  test.each(['0403170701', 'CHE-123.456.788', 'US123456789', 'BE', '', 'BE04031707😀1'])(
    'refuses %j, which has no prefix of a country in VIES',
    async vat => {
      expect((await refused(check(vat))).toProblem()).toMatchObject({
        code: 'invalid_input',
        issues: [{ path: 'vat' }],
      })
    },
  )
})

describe('vies-check when VIES gives no verdict', () => {
  const failing = Object.entries(viesTestNumbers).filter(([, code]) => !['VALID', 'INVALID'].includes(code))

  test.each(failing)('for XI number %s (%s) fails, and tells what is known offline', async (number, code) => {
    const vat = `XI${Number(number) < 500 ? 'GD' : 'HA'}${number}`
    expect((await refused(check(vat))).toProblem()).toMatchObject({
      code: 'upstream',
      detail: expect.stringContaining(code),
      retryable: !code.startsWith('INVALID_'),
      hint: `Ask again later. Known without VIES: ${vat} has the format of its country, and its check digits are right.`,
    })
  })

  test('keeps no failure: the next asker gets the verdict', async () => {
    const path = '/rest-api/ms/FI/vat/20774740'
    data.internet.web.site('vies.example.com', path, { status: 503, body: 'down' })
    expect((await refused(check('FI20774740'))).code).toBe('upstream')
    data.internet.web.site('vies.example.com', path, { body: '{"isValid":true,"userError":"VALID"}' })
    expect(await check('FI20774740')).toMatchObject({ valid: true })
  })
})
