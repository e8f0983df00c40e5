import { beforeEach, describe, expect, test } from 'vitest'
import { readViesAnswer } from '../../mcp/ports/vies/answer.ts'
import { openVies } from '../../mcp/ports/vies/vies.ts'
import { startInternet } from '../internet/internet.ts'
import { viesTestNumbers } from '../internet/vies.ts'
import { opened } from '../opened.ts'

const internet = opened(startInternet)
beforeEach(() => {
  internet.web.visits.length = 0
})

const open = (shape = 'rest-api') =>
  openVies({ fetch: internet.ports().fetch, url: `http://vies.example.com/${shape}`, waitMs: 1 })

const verdicts = ['VALID', 'INVALID']
const failing = Object.entries(viesTestNumbers).filter(([, code]) => !verdicts.includes(code))

describe.each(['rest-api', 'other-shape'])('VIES in the shape of %s', shape => {
  test('gives a verdict with what the country tells', async () => {
    const vies = open(shape)
    expect(await vies.check('BE', '0403170701')).toMatchObject({
      valid: true,
      name: 'NV EXAMPLE',
      address: 'Regentlaan 8\n1000 Brussel',
      requestDate: '2026-11-21T09:30:00.000Z',
      source: `http://vies.example.com/${shape}/ms/BE/vat/0403170701`,
    })
    expect(await vies.check('DE', '136695976')).toMatchObject({ valid: true, name: null, address: null })
    expect((await vies.check('DE', '100')).valid).toBe(true)
    expect((await vies.check('DE', '200')).valid).toBe(false)
  })

  test.each(failing)('has no verdict for number %s, which is answered %s', async (number, code) => {
    const check = open(shape).check('DE', number)
    await expect(check).rejects.toMatchObject({
      code: 'upstream',
      message: expect.stringContaining(`(${code})`),
      extra: { retryable: !code.startsWith('INVALID_') },
    })
    expect(internet.web.visits).toHaveLength(code.endsWith('_REQ') ? 2 : 1)
  })
})

describe('VIES when it is busy', () => {
  test('is asked a second time', async () => {
    let requests = 0
    internet.web.site('busy.example.com', '*', (_request, response) => {
      const userError = ++requests === 1 ? 'MS_MAX_CONCURRENT_REQ' : 'VALID'
      response.end(JSON.stringify({ isValid: userError === 'VALID', userError, name: 'AG', address: '---' }))
    })
    const vies = openVies({ fetch: internet.ports().fetch, url: 'http://busy.example.com', waitMs: 1 })
    expect(await vies.check('DE', '136695976')).toMatchObject({ valid: true, name: 'AG' })
  })

  test('ends with the caller', async () => {
    const vies = openVies({
      fetch: internet.ports().fetch,
      url: 'http://vies.example.com/rest-api',
      waitMs: 60_000,
    })
    const check = vies.check('DE', '600', { signal: AbortSignal.timeout(50) })
    await expect(check).rejects.toMatchObject({ code: 'timeout' })
  })
})

describe('what VIES never meant as a verdict', () => {
  test.each([
    '',
    '<html>maintenance</html>',
    'null',
    '[]',
    '{}',
    '{"isValid":null}',
    '{"valid":"false"}',
    '{"isValid":false,"userError":"SOMETHING_NEW"}',
    '{"errorWrappers":[{"error":"VOW-ERR-1","message":"x"}],"valid":false}',
    '{"isValid":false,"userError":"MS_UNAVAILABLE","name":"---"}',
  ])('%s', text => {
    expect(readViesAnswer(text)).toEqual({ failure: expect.any(String) })
  })

  test.each([
    [503, '<h1>down</h1>'],
    [500, '{"actionSucceed":false,"errorWrappers":[{"error":"INTERNAL"}]}'],
    [404, ''],
  ])('a page with status %i', async (status, body) => {
    internet.web.site('down.example.org', '*', { status, body })
    const vies = openVies({ fetch: internet.ports().fetch, url: 'http://down.example.org' })
    await expect(vies.check('DE', '136695976')).rejects.toMatchObject({
      code: 'upstream',
      extra: { retryable: true, retryAfter: 60 },
    })
  })
})
