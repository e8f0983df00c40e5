import { openBook, readQuarters, readYear } from './analyse.ts'
import { readFacts } from './facts.ts'

/** This module, for the threads that read a file. */
export const module = import.meta.url

/** Years and quarters of a company that can be asked for. */
export const maxYears = 20
export const maxQuarters = 20

/**
 * What a company has filed, from the file of the regulator: years and quarters, the newest first, each number with where it is from.
 * Runs on a thread of its own: some megabytes come in, some kilobytes go out. Throws `upstream` for what is no such file.
 */
export const readCompany = (bytes: Uint8Array) => {
  const { cik, name, facts } = readFacts(bytes)
  const book = openBook({ cik, facts })
  const { currency, otherCurrencies, taxonomy, yearEnds } = book
  return {
    name,
    currency,
    otherCurrencies,
    taxonomy,
    years: yearEnds.slice(0, maxYears).map((end, index) => readYear(book, end, yearEnds[index + 1])),
    ...readQuarters(book, maxQuarters),
    restatements: book.restatements(),
  }
}

export type CompanyNumbers = ReturnType<typeof readCompany>
