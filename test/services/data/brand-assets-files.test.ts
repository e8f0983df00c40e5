import { describe, expect, test } from 'vitest'
import { parseImage } from '../../../mcp/services/data/brand/image.ts'
import { readManifest } from '../../../mcp/services/data/brand/manifest.ts'

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(
    parts.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  )

describe('an image', () => {
  const png = bytes('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', [0, 0, 2, 0, 0, 0, 1, 0], [8, 6, 0, 0, 0])
  const entry = (side: number) => [side, side, 0, 0, 1, 0, 32, 0, 0, 1, 0, 0, 22, 0, 0, 0]
  const jpeg = bytes([
    0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc4, 0, 3, 9, 0xff, 0xc2, 0, 11, 8, 0, 30, 0, 40, 3, 1, 1,
  ])

  test.each([
    ['png', png, 'image/png', 512, 256],
    ['gif', bytes('GIF89a', [16, 0, 8, 0, 0]), 'image/gif', 16, 8],
    ['ico', bytes([0, 0, 1, 0, 3, 0], entry(16), entry(48), entry(32)), 'image/x-icon', 48, 48],
    ['ico of 256', bytes([0, 0, 1, 0, 1, 0], entry(0)), 'image/x-icon', 256, 256],
    ['jpeg', jpeg, 'image/jpeg', 40, 30],
    [
      'webp, lossy',
      bytes('RIFF....WEBPVP8 ....', [0, 0, 0, 0x9d, 1, 0x2a], [64, 0, 32, 0]),
      'image/webp',
      64,
      32,
    ],
    [
      'webp, extended',
      bytes('RIFF....WEBPVP8X....', [0, 0, 0, 0], [99, 0, 0, 49, 0, 0]),
      'image/webp',
      100,
      50,
    ],
    ['webp, lossless', bytes('RIFF....WEBPVP8L....', [0x2f, 0x3f, 0xc0, 0x0f, 0]), 'image/webp', 64, 64],
    ['svg', Buffer.from('\ufeff<?xml version="1.0"?><!-- x --><svg xmlns="x">'), 'image/svg+xml', null, null],
    ['avif', bytes([0, 0, 0, 32], 'ftypavif....'), 'image/avif', null, null],
    ['bmp', bytes('BM', [0, 0, 0, 0, 0, 0, 0, 0]), 'image/bmp', null, null],
  ])('is known by its bytes: %s', (_, body, type, width, height) =>
    expect(parseImage(body)).toMatchObject({ type, width, height }),
  )

  test('in an icon file has all its sizes', () =>
    expect(parseImage(bytes([0, 0, 1, 0, 2, 0], entry(16), entry(32)))?.sizes).toEqual(['16x16', '32x32']))

  test.each([
    '<!doctype html><html><body><svg></svg>',
    '<html><title>Not found</title>',
    '{"error": "not found"}',
    '',
    'GIF',
    '\x00\x00\x01\x00\x00\x00aaaaaaaaaaaaaaaaaaaaaa',
    '\x00\x00\x01\x00\x01\x00',
  ])('is not %j', text => expect(parseImage(Buffer.from(text, 'latin1'))).toBeUndefined())

  test('that is cut off anywhere is read without a failure', () => {
    const whole = [png, jpeg, bytes('RIFF....WEBPVP8X....'), bytes([0, 0, 1, 0, 9, 0], entry(16))]
    for (const image of whole)
      for (let end = 0; end <= image.length; end++)
        expect(() => parseImage(image.subarray(0, end))).not.toThrow()
  })

  test('of segments without an end is read', () => {
    const endless = Buffer.alloc(65_536, 0xff)
    endless[1] = 0xd8
    expect(parseImage(endless)).toMatchObject({ type: 'image/jpeg' })
    expect(parseImage(bytes([0xff, 0xd8, 0xff, 0xe0, 0, 0], 'x'.repeat(50)))).toMatchObject({ width: null })
  })
})

describe('a manifest', () => {
  const read = (text: string) => readManifest(text, 'https://cdn.example.org/app/manifest.json')

  test('is read with addresses relative to itself', () =>
    expect(
      read(
        '{"name":"Example App","short_name":"Ex","theme_color":"#fff","background_color":"red","display":"standalone","icons":[{"src":"i.png","sizes":"192X192","type":"image/png","purpose":"any maskable"},{"src":"javascript:x"},{"src":5},null]}',
      ),
    ).toEqual({
      url: 'https://cdn.example.org/app/manifest.json',
      name: 'Example App',
      short_name: 'Ex',
      description: null,
      theme_color: '#fff',
      background_color: 'red',
      display: 'standalone',
      icon_count: 1,
      icons: [
        {
          src: 'https://cdn.example.org/app/i.png',
          sizes: '192x192',
          type: 'image/png',
          purpose: 'any maskable',
        },
      ],
    }))

  test('need not be quite JSON', () => {
    expect(read('\ufeff {"name": "A"} ')).toMatchObject({ name: 'A' })
    expect(read("{name: 'A', // comment\n icons: [{src: '/i.png',},],}")).toMatchObject({
      name: 'A',
      icon_count: 1,
    })
  })

  test.each([
    [
      '{"name": 5, "icons": {"src": "x"}, "theme_color": ["x"]}',
      { name: null, icon_count: 0, theme_color: null },
    ],
    ['{"__proto__": {"name": "x"}}', { name: null }],
    ['{"name": "a\u202eb\\u0000"}', { name: 'ab' }],
  ])('of odd values %s is read as far as it goes', (text, found) => expect(read(text)).toMatchObject(found))

  test.each(['', 'null', '[]', '"x"', '<!doctype html>', '<html>{"name":"x"}'])('is not %j', text =>
    expect(read(text)).toBeUndefined(),
  )
})
