import { describe, expect, test } from 'vitest'
import { readText } from '../../mcp/ports/fetch/charset.ts'
import { startInternet } from '../internet/internet.ts'

const read = (body: Buffer | string, contentType = '') => readText(Buffer.from(body), contentType)
const latin = (text: string) => Buffer.from(text, 'latin1')

describe('the charset of a body', () => {
  test('is that of the byte order mark, whatever the header says', () => {
    expect(read('\ufeffé', 'text/html; charset=iso-8859-1')).toEqual({
      text: 'é',
      charset: 'utf-8',
      charsetSource: 'bom',
    })
    expect(read(Buffer.from('\ufeffdas', 'utf16le'))).toMatchObject({ text: 'das', charset: 'utf-16le' })
    expect(read(Buffer.from('\ufeffdas', 'utf16le').swap16())).toMatchObject({
      text: 'das',
      charset: 'utf-16be',
    })
  })

  test('is that of the header before that of the markup', () => {
    const body = Buffer.concat([latin('<meta charset=utf-8>'), Buffer.from([0x83, 0x65])])
    expect(read(body, 'text/html; charset="Shift_JIS"')).toMatchObject({
      charset: 'shift_jis',
      charsetSource: 'header',
    })
    expect(read(body, 'text/html; charset=Shift_JIS').text).toContain('テ')
  })

  test('is that of the XML declaration', () => {
    const body = latin('<?xml version="1.0" encoding="ISO-8859-15"?><a>\xa4</a>')
    expect(read(body, 'application/rss+xml')).toMatchObject({ charset: 'iso-8859-15', charsetSource: 'xml' })
    expect(read(body, 'application/rss+xml').text).toContain('€')
  })

  test.each([
    '<meta charset="koi8-r">',
    '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">',
  ])('is that of %s', meta => {
    const body = Buffer.concat([latin(meta), Buffer.from([0xf0, 0xd2, 0xc9])])
    expect(read(body, 'text/html')).toMatchObject({ charset: 'koi8-r', charsetSource: 'meta' })
    expect(read(body, 'text/html').text).toContain('При')
  })

  const late = `${'<link rel=x href=y>'.repeat(90)}<!-- <meta charset=big5> --><script>'<meta charset=big5>'</script>`

  test('is that of a <meta> beyond the first kilobyte, outside of comments and scripts', () => {
    const body = Buffer.concat([
      latin(`${late}<META name=a charset=koi8-r>`),
      Buffer.from([0xf0, 0xd2, 0xc9]),
    ])
    expect(read(body, 'text/html')).toMatchObject({ charset: 'koi8-r', charsetSource: 'meta' })
    expect(read(latin(late), 'text/html')).toMatchObject({ charset: 'utf-8', charsetSource: 'valid-utf8' })
  })

  // Each as its bytes: a title is too short for statistics.
  test.each([
    ['Контакты', 'windows-1251', 'caeeedf2e0eaf2fb'],
    ['Български език', 'windows-1251', 'c1faebe3e0f0f1eae820e5e7e8ea'],
    ['Příliš žluťoučký kůň', 'iso-8859-2', '50f8ed6c69b920be6c75bb6f75e86bfd206bf9f2'],
    ['Łódź', 'iso-8859-2', 'a3f364bc'],
    ['Árvíztűrő tükörfúrógép', 'windows-1250', 'c17276ed7a74fb72f52074fc6bf67266fa72f367e970'],
    ['Café', 'windows-1252', '436166e9'],
    ['Košík', 'iso-8859-2', '4b6fb9ed6b'],
    ['שלום עולם', 'windows-1255', 'f9ece5ed20f2e5eced'],
    ['מחיר: 50 ₪', 'windows-1255', 'eee7e9f83a20353020a4'],
    ['привет всем', 'windows-1251', 'eff0e8e2e5f220e2f1e5ec'],
    ['Größe und Maße', 'windows-1252', '4772f6df6520756e64204d61df65'],
    ['Καλημέρα κόσμε', 'windows-1253', 'cae1ebe7ecddf1e120eafcf3ece5'],
    ['你好世界', 'gbk', 'c4e3bac3cac0bde7'],
    ['日本語のテキスト', 'shift_jis', '93fa967b8cea82cc8365834c83588367'],
  ])('of the few bytes of %s is %s', (text, charset, hex) => {
    const body = Buffer.from(hex.replaceAll(' ', ''), 'hex')
    expect(read(body, 'text/plain')).toMatchObject({ charset, charsetSource: 'detected' })
    expect(read(body, 'text/plain').text).toBe(text)
  })

  test('is UTF-8 when nothing is said and the bytes are valid', () => {
    expect(read('žluťoučký', 'text/plain')).toMatchObject({ charset: 'utf-8', charsetSource: 'valid-utf8' })
    expect(read('', 'text/plain')).toMatchObject({ text: '', charset: 'utf-8' })
  })

  test('is UTF-8 also when the body was cut inside a character', () => {
    const body = Buffer.from('žluťoučký')
    expect(read(body.subarray(0, body.length - 1))).toMatchObject({
      charset: 'utf-8',
      charsetSource: 'valid-utf8',
    })
  })

  test('is guessed from the bytes when they are not UTF-8', () => {
    const body = Buffer.from('8365835883672082b182f182c982bf82cd90a28a4581423a20'.repeat(8), 'hex')
    expect(read(body, 'text/plain')).toMatchObject({ charset: 'shift_jis', charsetSource: 'detected' })
  })

  test('skips a header that names no charset we know', () => {
    expect(read('é', 'text/html; charset=klingon')).toMatchObject({ text: 'é', charsetSource: 'valid-utf8' })
    expect(read('é', 'not a media type')).toMatchObject({ text: 'é' })
  })

  test('is found where the reader of `<meta>` throws at what a page has', () => {
    const page = '<meta http-equiv="content-type" content="text/html; charset">é'
    expect(read(page, 'text/html')).toMatchObject({ text: page, charsetSource: 'valid-utf8' })
  })

  test('windows-1252 keeps quotes, dashes and the euro sign', () => {
    const body = latin('\x93quoted\x94 \x96 \x80 caf\xe9')
    for (const label of ['windows-1252', 'iso-8859-1', 'latin1', 'us-ascii']) {
      expect(read(body, `text/html; charset=${label}`).text).toBe('“quoted” – € café')
    }
  })
})

test('a legacy page comes out readable', async () => {
  const internet = await startInternet()
  const { fetch } = internet.ports()
  const withHeader = (await fetch('http://example.com/windows-1252')).text()
  expect(withHeader).toMatchObject({ charset: 'windows-1252', charsetSource: 'header' })
  expect(withHeader.text).toBe('<title>Café € 5</title><p>“quoted” – dash</p>')
  const withoutHeader = (await fetch('http://example.com/undeclared')).text()
  expect(withoutHeader.text).toBe(withHeader.text)
  await internet.stop()
})
