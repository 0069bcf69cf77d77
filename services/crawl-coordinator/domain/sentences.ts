/** Why something could not be had, as a person reads it. The reasons are those of the fetchers. */

const sentences: Record<string, string> = {
  dns: 'The name of the host could not be resolved.',
  connect: 'The host could not be connected to.',
  tls: 'A secure connection to the host could not be made.',
  proxy: 'The proxy could not be used.',
  timeout: 'The host did not answer in time.',
  too_large: 'The answer was larger than the limit.',
  too_many_redirects: 'The redirects lead in a circle or are too many.',
  protocol: 'The answer was not valid HTTP.',
  private_address: 'The address is not a public one.',
  robots: 'robots.txt does not allow the seed.',
  too_many_rules: 'The robots.txt files of this run have more rules than a run can hold.',
  given_up: 'Nothing came back for this address, however often it was handed out: the crawler itself failed.',
  empty_sitemap: 'The sitemap lists no address of this site.',
}

/** The sentence of a reason; null for a reason that has none because it is in words already. */
export const sentenceOf = (reason: string): string | null =>
  Object.hasOwn(sentences, reason) ? (sentences[reason] ?? null) : null
