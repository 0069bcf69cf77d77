/** Maps failure reasons of the fetchers and the coordinator to sentences for people. */
const sentences: Record<string, string> = {
  dns: 'The host name could not be resolved.',
  connect: 'No connection to the host could be opened.',
  tls: 'No TLS connection to the host could be established.',
  proxy: 'The proxy could not be used.',
  timeout: 'The host did not respond in time.',
  too_large: 'The response was larger than the limit.',
  too_many_redirects: 'The redirects form a loop, or there are too many.',
  protocol: 'The response was not valid HTTP.',
  private_address: 'The address is not a public one.',
  blocked_domain: 'The host is on the list of malicious hosts of this installation.',
  bad_url: 'The URL is not one that may be requested.',
  too_many_rules: 'The robots.txt files of this run have more rules than a run can hold.',
  given_up: 'The crawler itself failed: no attempt to fetch this URL returned a result.',
  logged_out: 'The page has a sign of having been logged out.',
  empty_sitemap: 'The sitemap lists no URL of this site.',
}

/**
 * Returns the sentence of a failure, with the words of the cause if there are any. Returns null if the reason has no
 * sentence, because it is a sentence itself.
 */
export function sentenceOf(reason: string, because?: string | null): string | null {
  const sentence = Object.hasOwn(sentences, reason) ? (sentences[reason] ?? null) : null
  return sentence !== null && because ? `${sentence.slice(0, -1)}: ${because}.` : sentence
}
