import type { Place } from '../finding.ts'

/** One line of an artifact. `plain` is a line of a text that is no diff. */
export type Line = {
  text: string
  change: 'added' | 'removed' | 'context' | 'plain'
  file: string
  isComment: boolean
  /** Of a document, not of code or settings. */
  isProse: boolean
  isTest: boolean
  place: Place
}

/** One file of a diff. */
export type DiffFile = {
  name: string
  oldName: string
  isNew: boolean
  isDeleted: boolean
  isBinary: boolean
  /** Headings beside the hunks' numbers: the function or section that each is in. */
  heads: string[]
  lines: Line[]
}

const maxLineLength = 2000

const proseFile = /\.(?:md|mdx|rst|txt|adoc)$|(?:^|\/)(?:LICENSE|CHANGELOG|README|AUTHORS|NOTICE)(?:\.\w+)?$/i
const testFile =
  /(?:^|\/)(?:tests?|specs?|__tests__|__mocks__|testdata|fixtures|e2e|cypress)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)(?:test_\w+|conftest)\.py$|_test\.(?:go|py|rb|dart)$|Tests?\.(?:java|cs|kt)$/i

const isCommentLine = (text: string, file: string): boolean => {
  const start = text.trimStart().slice(0, 4)
  if (/^(?:\/\/|\/\*|\*\s|\*\/|<!--|--\s|;;|%%)/.test(start))
    return !/^--\s/.test(start) || /\.(?:sql|lua|hs)$/.test(file)
  return (
    /^#(?!\[|include|define|!|ifdef|ifndef|endif|if\b|pragma)/.test(start) &&
    !/\.(?:c|h|cpp|hpp|cs|rs|css|scss)$/.test(file)
  )
}

type FileKind = Pick<Line, 'file' | 'isProse' | 'isTest'>

const readKind = (file: string): FileKind => ({
  file,
  isProse: proseFile.test(file),
  isTest: testFile.test(file),
})

const noFile = readKind('')

const toLine = (
  text: string,
  change: Line['change'],
  { file, isProse, isTest }: FileKind,
  line: number,
): Line => ({
  text: text.slice(0, maxLineLength),
  change,
  file,
  isComment: isCommentLine(text, file),
  isProse,
  isTest,
  place: file === '' ? { line } : { file, line },
})

/** The lines of a text that is no diff. Long ones are cut into pieces, so that no rule works on more than a piece. */
export const parseTextLines = (text: string, isProse = false): Line[] =>
  text.split('\n').flatMap((whole, nth) => {
    const pieces: Line[] = []
    for (let at = 0; at === 0 || at < whole.length; at += maxLineLength - 200)
      pieces.push({ ...toLine(whole.slice(at, at + maxLineLength), 'plain', noFile, nth + 1), isProse })
    return pieces
  })

/** True when a text reads as a diff. */
export const isDiff = (text: string): boolean =>
  /^(?:diff --git |--- \S.*\n\+\+\+ |@@ -\d+|Index: )/m.test(text)

/**
 * Whether a text is the inside of a diff without its headers: lines that begin with `+` or `-`, the others with a blank or with what
 * stands at the margin of code. A list of words, of YAML or of prose, begins with a dash and one blank, and has no `+`.
 */
export const isBareHunk = (text: string): boolean => {
  if (isDiff(text)) return false
  let [added, removed, others] = [0, 0, 0]
  for (const row of text.split('\n')) {
    if (row.trim() === '' || row.startsWith('```')) continue
    if (/^\+(?!\+|\d[\d ().-]{5})/.test(row)) added++
    else if (/^-(?:[ \t]{2,}\S|[^-\s\d])/.test(row)) removed++
    else if (/^-[ \t]\S/.test(row)) others++
    else if (/[.!?]$/.test(row) && /^[A-Z]\w*\s\w+\s\w/.test(row)) return false
  }
  return added > 0 ? added + removed > 0 : removed > 0 && others === 0
}

/** The file that a first line names in a comment: `# pg_hba.conf`, `// config/app.toml (ward 4)`. */
export const namedFile = (text: string): string =>
  /^\s{0,9}(?:#|\/\/|--|;|\/\*)\s{0,9}([\w./-]{1,120}\.\w{1,12}|Dockerfile|Makefile|sshd_config)\b/.exec(
    text,
  )?.[1] ?? ''

const fileName = (header: string): string => {
  const name = (header.split('\t')[0] ?? '').trim().replace(/^"|"$/g, '')
  return name === '/dev/null' ? '' : name.replace(/^[abciwo]\//, '')
}

/**
 * The files of a unified diff; with a name, of the inside of one. What a hunk header counts only tells headers from content: lines beyond the count are read all the
 * same, for a wrong count must not hide them.
 */
export const readDiff = (text: string, bareName?: string): DiffFile[] => {
  const files: DiffFile[] = []
  const rows = text.split('\n')
  const open = (name: string): DiffFile => {
    const file = {
      name,
      oldName: name,
      isNew: false,
      isDeleted: false,
      isBinary: false,
      heads: [],
      lines: [],
    }
    files.push(file)
    return file
  }
  let file: DiffFile | undefined
  let kind = noFile
  let [oldLeft, newLeft, oldLine, newLine] = [0, 0, 1, 1]
  if (bareName !== undefined) file = open(bareName)
  const push = (row: string, change: Line['change'], line: number) => {
    file ??= open('')
    if (kind.file !== file.name) kind = readKind(file.name)
    for (let at = 0; at === 0 || at < row.length; at += maxLineLength - 200)
      file.lines.push(toLine(row.slice(at, at + maxLineLength), change, kind, line))
  }
  for (let nth = 0; nth < rows.length; nth++) {
    const row = (rows[nth] ?? '').replace(/\r$/, '')
    const inHunk = oldLeft > 0 || newLeft > 0
    if (row.startsWith('diff --git ') || row.startsWith('Index: ')) {
      const names = row.startsWith('diff') ? row.slice(11).split(' ') : [row.slice(7)]
      file = open(fileName(names.at(-1) ?? ''))
      oldLeft = newLeft = 0
      continue
    }
    const next = rows[nth + 1] ?? ''
    if (!inHunk && row.startsWith('--- ') && next.startsWith('+++ ')) {
      const [before, after] = [fileName(row.slice(4)), fileName(next.slice(4))]
      if (!file || file.lines.length > 0) file = open(after || before)
      file.name = after || before
      file.oldName = before
      file.isNew ||= before === ''
      file.isDeleted ||= after === ''
      nth++
      continue
    }
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)/.exec(row)
    if (hunk) {
      oldLine = Number(hunk[1])
      newLine = Number(hunk[3])
      oldLeft = Number(hunk[2] ?? 1)
      newLeft = Number(hunk[4] ?? 1)
      file ??= open('')
      file.heads.push((hunk[5] ?? '').trim().slice(0, 200))
      continue
    }
    if (row.startsWith('+')) {
      push(row.slice(1), 'added', newLine++)
      newLeft--
    } else if (row.startsWith('-')) {
      push(row.slice(1), 'removed', oldLine++)
      oldLeft--
    } else if (
      /^(?:index [0-9a-f]+\.\.|(?:old|new) mode |similarity |rename |copy |Binary files |\\ No newline)/.test(
        row,
      )
    ) {
      if (file && /^rename to /.test(row)) file.name = row.slice(10)
      if (file && row.startsWith('Binary files ')) file.isBinary = true
    } else if (/^new file mode/.test(row)) {
      if (file) file.isNew = true
    } else if (/^deleted file mode/.test(row)) {
      if (file) file.isDeleted = true
    } else {
      if (file) push(row.startsWith(' ') ? row.slice(1) : row, 'context', newLine)
      oldLine++
      newLine++
      oldLeft--
      newLeft--
    }
  }
  return files
}
