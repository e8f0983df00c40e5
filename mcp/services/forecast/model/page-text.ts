import { readArticle } from '../../../lib/page/article/article.ts'

/** This module, for the threads that read pages. */
export const module = import.meta.url

/** Title and text of a page as people see it. @public A worker loads it by name. */
export const readPageText = async ({
  markup,
  url,
}: {
  markup: string
  url: string
}): Promise<{ title: string | null; text: string }> => {
  const { title, text } = await readArticle(markup, url, { markdown: false, seenOnly: true })
  return { title, text }
}
