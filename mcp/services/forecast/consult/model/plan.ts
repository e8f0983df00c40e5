/** What is done for a tier when a model is asked. */
export type Plan = {
  /** Results of the search that are read as pages. */
  pages: number
  /** Independent estimates. */
  estimates: number
  /** Whether a further question reviews the estimates. */
  isSupervised: boolean
}

export const plans: Readonly<Record<'quick' | 'standard' | 'deep' | 'research', Plan>> = {
  quick: { pages: 2, estimates: 3, isSupervised: false },
  standard: { pages: 4, estimates: 5, isSupervised: true },
  deep: { pages: 8, estimates: 7, isSupervised: true },
  research: { pages: 12, estimates: 11, isSupervised: true },
}

/** A plan in words, for the price. */
export const describePlan = ({ pages, estimates, isSupervised }: Plan, canSearch: boolean): string => {
  const reading = canSearch ? `your sources and up to ${pages} pages of a search` : 'your sources'
  return `${reading} are read, ${estimates} independent estimates by a model${isSupervised ? ', reviewed by a supervisor' : ''}`
}
