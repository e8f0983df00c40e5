import { expect, test } from 'vitest'
import { answerFor } from '../../../mcp/services/data/entities/answer.ts'

test.each([
  [
    'marks inside words of a script',
    '#il·luminar #各〃 #ラーメン・店 #メ〜トル #מ״מ #می‌روم',
    ['il·luminar', '各〃', 'ラーメン・店', 'メ〜トル', 'מ״מ', 'می‌روم'],
  ],
  ['nothing that is no word', '#_ #1_2 #〃 #😀 # tag #a#b', []],
  ['letters beyond the first plane', '#\u{20021} #A\u{104a0}', ['\u{20021}', 'A\u{104a0}']],
])('text-entities finds hashtags with %s', async (_what, text, tags) => {
  expect((await answerFor({ text, each: true })).lists.hashtags.entries.map(({ tag }) => tag)).toEqual(tags)
})

test.each([
  ['after text without spaces', 'これは@ada_lさんへ', ['ada_l']],
  ['after RT', 'RT@ada and art@bob', ['ada']],
  ['after a full stop that begins a line', '.@ada, see below', ['ada']],
  ['of letters and digits', '@_@ @__ @7up @_ada_', ['7up', '_ada_']],
  ['that do not run into a word', '@adaè @ada: @bob. x@carl -@dora', ['ada', 'bob', 'dora']],
  ['that are no address', '@http://example.com ###@ada $@bob', []],
])('text-entities finds mentions %s', async (_what, text, names) => {
  expect((await answerFor({ text, each: true })).lists.mentions.entries.map(({ name }) => name)).toEqual(
    names,
  )
})
