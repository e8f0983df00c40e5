import { expect, test } from 'vitest'
import { detectMediaType, fitsMediaType } from '../../mcp/lib/media-type.ts'

const head = (text: string) => Buffer.from(text, 'latin1')

test.each([
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['GIF89a', 'image/gif'],
  ['RIFF\0\0\0\0WEBP', 'image/webp'],
  ['%PDF-1.7', 'application/pdf'],
  ['PK\x03\x04', 'application/zip'],
  ['\x1aE\xdf\xa3', 'video/webm'],
  ['\0\0\0\x18ftypheic', 'image/heic'],
  ['\0\0\0\x18ftypqt  ', 'video/quicktime'],
  ['\0\0\0\x18ftypmp42', 'video/mp4'],
  ['It is open.\n', 'text/plain'],
  ['\0\0\0\x18ftypxxxx', undefined],
  ['MZ\x90\0', undefined],
  ['\x7fELF', undefined],
  ['caf\xe9 ', undefined],
])('%j is %s', (text, type) => {
  expect(detectMediaType(head(text))).toBe(type)
})

test('a zip is no photo, and may be what is made of zips', () => {
  const zip = head('PK\x03\x04')
  expect(fitsMediaType(zip, 'image/jpeg')).toBe(false)
  expect(fitsMediaType(zip, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document')).toBe(
    true,
  )
  expect(fitsMediaType(head('<html>'), 'image/svg+xml')).toBe(false)
  expect(fitsMediaType(head('{"a":1}'), 'application/json')).toBe(true)
  expect(fitsMediaType(Buffer.from('Öffnung'.repeat(9)).subarray(0, 9), 'text/csv')).toBe(true)
})
