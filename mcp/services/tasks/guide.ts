import { readFileSync } from 'node:fs'
import { type AnyDocument, document } from '../../kernel/document.ts'
import { ToolError } from '../../kernel/error.ts'
import { findDocsFolder } from '../../lib/docs-folder.ts'

const guides = [
  {
    file: 'marketplace',
    path: '/guide',
    title: 'Guide to the task marketplace',
    description: 'States, money, evidence, the desk for people, and who may call what.',
  },
  {
    file: 'escrow',
    path: '/guide/escrow',
    title: 'Where the money of a task waits',
    description: 'In the books of the house, in a contract on Base, or with the publisher.',
  },
  {
    file: 'sessions',
    path: '/guide/sessions',
    title: 'Metered sessions',
    description: 'Time that is paid by the second, minute or hour, against a cap.',
  },
] as const

/** The text of a document as this house serves it: its own addresses, and links to what it serves. */
const readGuide = (file: string, base: string): string => {
  const folder = findDocsFolder()
  if (folder === undefined)
    throw new ToolError('not_found', 'The documents were left out of this installation.', {
      hint: 'GET /openapi.json describes every operation.',
    })
  return readFileSync(`${folder}/tasks/${file}.md`, 'utf8')
    .replaceAll('https://octagent.example/tasks', base)
    .replace(/\[([^\]]+)\]\(([\w./-]+\.md)(#[\w-]+)?\)/g, (_, text: string, target: string, part = '') => {
      const guide = guides.find(other => target === `${other.file}.md`)
      return guide ? `[${text}](${base}${guide.path}${part})` : text
    })
}

/** The documents of `docs/tasks`, at the service itself. */
export const guideDocuments: readonly AnyDocument[] = guides.map(({ file, ...facts }) =>
  document(facts).render(({ base }) => ({ markdown: readGuide(file, base) })),
)
