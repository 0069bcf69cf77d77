/** Reads the URL of a page from a parameter. */
import { normalForm } from '@tidemark/url/normal-form'
import { unusable } from './address.ts'
import { refusal } from './refusal.ts'

/** Returns the normal form of a URL. Throws `ApiProblem` `bad_url` if no page can have it. */
export function normalUrl(field: string, url: string): string {
  const fault = unusable(url)
  if (fault !== null) throw refusal(field, 'bad_url', `${field} is not the URL of a page: ${fault}.`)
  return normalForm(url) ?? url
}
