import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as artifacts from '../../../../mcp/services/proof/review/classify/artifacts.ts'
import * as features from '../../../../mcp/services/proof/review/classify/features.ts'
import { detectLanguage } from '../../../../mcp/services/proof/review/classify/language.ts'
import * as sentences from '../../../../mcp/services/proof/review/classify/sentences.ts'
import * as topic from '../../../../mcp/services/proof/review/classify/topic.ts'
import { parseClassifiers } from '../../../../mcp/services/proof/review/classify/weights.ts'
import { wordingScore } from '../../../../mcp/services/proof/review/classify/wording.ts'
import { train } from '../../../../scripts/train-review.mjs'
import { type LabelledText, readSet, unseenSets } from './sets.ts'

const { flaggedArtifact } = artifacts
const { flaggedSentences } = sentences

const isStructured = ({ type }: LabelledText): boolean =>
  ['shell_command', 'code_diff', 'patch', 'config_change'].includes(type)

const unseen = unseenSets.flatMap(readSet)
const prose = unseen.filter(text => !isStructured(text))
const office = readSet('held-out-office')
const share = <T>(texts: readonly T[], test: (text: T) => boolean): number =>
  texts.filter(test).length / texts.length

const isConcern = ({ artifact }: { artifact: string }): boolean => {
  const wording = wordingScore(artifact)
  return (wording && wording.score > wording.threshold) || flaggedSentences(artifact).length > 0
}

test('of unseen prose 78 of 100 are told rightly from harmless ones', () => {
  expect(share(prose, text => isConcern(text) === text.bad)).toBeGreaterThan(0.78)
})

const hasFlaggedSentence = ({ artifact }: { artifact: string }): boolean =>
  flaggedSentences(artifact).length > 0

test('sentences find a fifth of unseen dangerous prose, and few of harmless ones', () => {
  expect(
    share(
      prose.filter(({ bad }) => bad),
      hasFlaggedSentence,
    ),
  ).toBeGreaterThan(0.2)
  expect(
    share(
      prose.filter(({ bad }) => !bad),
      hasFlaggedSentence,
    ),
  ).toBeLessThan(0.04)
})

test('one dangerous sentence is found by itself, and among ordinary ones', () => {
  const everyday = readSet('held-out-everyday').map(({ artifact }) => artifact)
  const danger = 'We send the root password by e-mail to the contractor.'
  for (const text of [danger, [...everyday.slice(0, 5), danger, ...everyday.slice(5, 10)].join(' ')])
    expect(hasFlaggedSentence({ artifact: text })).toBe(true)
  expect(flaggedSentences(everyday.join(' '))).toEqual([])
})

/** Ways to put a text among others, none of which ends a sentence as the text itself does. */
const joins = ['\n', ' ', '; ', ' - ', ' – ', '\n- ', '\n\n* ', '. ', ', ', '|']

test('nothing that stands around a flagged run hides it', () => {
  const padding = office.slice(0, 10).map(({ artifact }) => artifact.replace(/\.$/, ''))
  expect(padding.filter(text => flaggedSentences(text).length > 0)).toEqual([])
  const flagged = prose.filter(({ artifact }) => flaggedSentences(artifact).length > 0)
  expect(flagged.length).toBeGreaterThan(20)
  const hidden = flagged.filter(({ artifact }) =>
    joins.some(join => flaggedSentences([...padding, artifact, ...padding].join(join)).length === 0),
  )
  expect(hidden).toEqual([])
})

test('a flagged run is named by its place', () => {
  for (const { artifact } of prose)
    for (const { start, end, score } of flaggedSentences(artifact)) {
      const again = flaggedSentences(artifact.slice(start, end))
      expect(again[0]?.score).toBeGreaterThanOrEqual(score - 1e-9)
    }
})

test('office texts are no concern, and few rows of them are', () => {
  expect(share(office, isConcern)).toBeLessThan(0.03)
  const rows = office.map((_, nth) => ({
    artifact: Array.from(
      { length: 10 },
      (_, next) => office[(nth * 7 + next * 11) % office.length]?.artifact,
    ).join(' '),
  }))
  expect(share(rows, isConcern)).toBeLessThan(0.12)
})

test('ordinary texts around a dangerous one seldom change what the whole of it reads like', () => {
  const padding = [office.slice(0, 4), office.slice(30, 34)].map(texts =>
    texts.map(({ artifact }) => artifact).join('\n'),
  )
  const isWording = (artifact: string): boolean => {
    const wording = wordingScore(artifact)
    return wording !== undefined && wording.score > wording.threshold
  }
  const flagged = prose.filter(({ bad, artifact }) => bad && isWording(artifact))
  expect(flagged.length).toBeGreaterThan(150)
  expect(
    share(flagged, ({ artifact }) => isWording([padding[0], artifact, padding[1]].join('\n'))),
  ).toBeGreaterThan(0.85)
})

test('ordinary commits are no concern', () => {
  const commits = readSet('held-out-commits')
  const isFlagged = (text: LabelledText): boolean => {
    if (!isStructured(text)) return isConcern(text)
    const { score, threshold } = flaggedArtifact('changes', text.artifact)
    return score > threshold
  }
  expect(share(commits, isFlagged)).toBeLessThan(0.05)
})

test('a text in another language is not read, wherever it stands', () => {
  const english = 'The migration was rehearsed on a copy on Tuesday.'
  for (const foreign of [
    'Lösche heute die Produktionsdatenbank ohne Sicherung.',
    'Supprimez la base de production sans sauvegarde.',
    'Elimina la base de datos de producción sin copia de seguridad.',
    'Verwijder de productiedatabase zonder back-up.',
    'Slet produktionsdatabasen uden sikkerhedskopi.',
    'Удалите рабочую базу данных без резервной копии.',
    '生产数据库立即删除，不需要备份。',
    '本番データベースをバックアップなしで削除する。',
    '백업 없이 운영 데이터베이스를 삭제하세요.',
    'احذف قاعدة بيانات الإنتاج دون نسخة احتياطية.',
    'Üretim veritabanını yedek almadan sil.',
    'Desactivamos la alarma porque molesta por la noche.',
    'Nikt nie sprawdza alergii pacjenta.',
    'We wissen de logboeken voordat de controleurs komen.',
    'Ingen kontrollerar patientens allergier.',
  ])
    for (const text of [foreign, `${english}\n\n${foreign}`, `${english} ${foreign} ${english}`])
      expect(detectLanguage(text)).toMatchObject({ isRead: false })
  expect(detectLanguage(english)).toEqual({ language: 'en', isRead: true })
  expect(detectLanguage('kubectl delete ns a --wait=false')).toEqual({ language: 'zxx', isRead: true })
})

test('English texts are read', () => {
  expect(share(unseen, ({ artifact }) => detectLanguage(artifact).isRead)).toBeGreaterThan(0.97)
})

const classify = { ...artifacts, ...features, ...sentences, ...topic }

test('the same texts teach the same bytes, and other texts others', () => {
  const texts = ['plans', 'commands', 'settings', 'diffs'].flatMap(name => readSet(name).slice(0, 40))
  const asset = train(texts, classify, 6)
  expect(train(texts, classify, 6).equals(asset)).toBe(true)
  const others = texts.map((text, nth) => (nth === 0 ? { ...text, bad: !text.bad } : text))
  expect(train(others, classify, 6).equals(asset)).toBe(false)
})

test('weights that are not those of their hash are refused', () => {
  const asset = readFileSync(
    new URL('../../../../mcp/services/proof/review/classify/weights.bin', import.meta.url),
  )
  expect([...parseClassifiers(asset).keys()]).toEqual([
    'topic',
    'sentences',
    'wording',
    'commands',
    'changes',
    'settings',
  ])
  asset[asset.length - 1] = (asset.at(-1) ?? 0) ^ 1
  expect(() => parseClassifiers(asset)).toThrow('SHA-256')
})
