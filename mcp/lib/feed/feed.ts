export type Enclosure = {
  url: string
  type: string | null
  length: number | null
  title: string | null
  description: string | null
}

/** One item of a feed. Unknown is null; dates are ISO 8601 in UTC; texts are plain. */
export type FeedItem = {
  title: string | null
  link: string | null
  date: string | null
  date_raw: string | null
  updated: string | null
  summary: string | null
  content?: string | null
  author: string | null
  id: string | null
  categories: string[]
  enclosures: Enclosure[]
  image: string | null
  geo: { lat: number; lon: number } | null
}

export type Feed = {
  /** Such as `rss 2.0`, `atom 1.0`, `json 1.1`. */
  format: string
  title: string | null
  link: string | null
  description: string | null
  lang: string | null
  updated: string | null
  items: FeedItem[]
  /** Items in the feed, listed or not, each once. */
  total: number
  /** Items that stood there twice and are listed once. */
  duplicates: number
  /** The feed is too long, too deep or broken off: what came before was read. */
  cut: boolean
}

/** How a feed is read: where it was found, and how much of it is wanted. */
export type FeedOptions = { url: string; limit: number; content: boolean }
