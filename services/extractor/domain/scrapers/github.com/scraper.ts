/** Repositories of GitHub, from its REST API (docs.github.com, "Get a repository"). */
import { booleanAt, numberAt, parseJson, textAt, textsAt } from '../json.ts'
import { defineScraper } from '../scraper.ts'

export const scraper = defineScraper({
  domain: 'github.com',
  origin: 'https://api.github.com',
  routes: [{ path: '{owner}/{repository}', fetch: '/repos/{owner}/{repository}' }],
  names: {
    owner: /^[A-Za-z0-9][A-Za-z0-9_-]{0,38}$/,
    repository: /^[\w.-]{1,100}$/,
  },
  dataShape: {
    name: 'name of the repository',
    owner: 'owner',
    url: 'URL of its page',
    description: 'one sentence',
    homepage: 'address',
    language: 'the main programming language',
    license: 'SPDX identifier',
    topics: 'list of texts',
    stars: 'number of stars',
    forks: 'number of forks',
    open_issues: 'number of open issues and pull requests',
    default_branch: 'name',
    archived: 'whether it is archived',
    fork: 'whether it is a fork',
    created_at: 'time of creation',
    pushed_at: 'time of the last push',
  },
  read({ text }) {
    const found = parseJson(text)
    const [name, owner] = [textAt(found, 'name'), textAt(found, 'owner', 'login')]
    if (name === null || owner === null) return null
    return [
      {
        name,
        owner,
        url: textAt(found, 'html_url'),
        description: textAt(found, 'description'),
        homepage: textAt(found, 'homepage'),
        language: textAt(found, 'language'),
        license: textAt(found, 'license', 'spdx_id'),
        topics: textsAt(found, 'topics'),
        stars: numberAt(found, 'stargazers_count'),
        forks: numberAt(found, 'forks_count'),
        open_issues: numberAt(found, 'open_issues_count'),
        default_branch: textAt(found, 'default_branch'),
        archived: booleanAt(found, 'archived'),
        fork: booleanAt(found, 'fork'),
        created_at: textAt(found, 'created_at'),
        pushed_at: textAt(found, 'pushed_at'),
      },
    ]
  },
})
