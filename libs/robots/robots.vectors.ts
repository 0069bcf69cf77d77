/** Examples of RFC 9309, and cases that are often misunderstood. */

export const simpleExample = `
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot

EOF`

export const rfcExamples: [agent: string, path: string, allowed: boolean][] = [
  ['anybot', '/a.gif', false],
  ['anybot', '/a.gif?b', true],
  ['anybot', '/example/x', false],
  ['anybot', '/publications/x', true],
  ['anybot', '/', true],
  ['foobot', '/publications/', false],
  ['FooBot/2.1', '/example/page.html', true],
  ['foobot', '/example/allowed.gif', true],
  ['foobot', '/example/other.gif', false],
  ['barbot', '/example/page.html', false],
  ['barbot', '/a.gif', true],
  ['bazbot', '/example/page.html', false],
  ['quxbot', '/example/page.html', true],
  ['foobot', '/robots.txt', true],
]

export const matching: [pattern: string, path: string, matches: boolean][] = [
  // RFC 9309, 2.2.2: the table of encodings
  ['/foo/bar?baz=quz', '/foo/bar?baz=quz', true],
  ['/foo/bar?baz=https://foo.bar', '/foo/bar?baz=https%3A%2F%2Ffoo.bar', true],
  ['/foo/bar?baz=https%3A%2F%2Ffoo.bar', '/foo/bar?baz=https://foo.bar', true],
  ['/foo/bar/ツ', '/foo/bar/%E3%83%84', true],
  ['/foo/bar/%E3%83%84', '/foo/bar/%e3%83%84', true],
  ['/foo/bar/%62%61%7A', '/foo/bar/baz', true],
  ['/foo/bar/baz', '/foo/bar/%62%61%7A', true],
  ['/a%2Fb', '/a/b', false],
  ['/a b', '/a%20b', true],
  // 2.2.3: special characters
  ['/path/file-with-a-%2A.html', '/path/file-with-a-*.html', true],
  ['/path/foo-%24', '/path/foo-$', true],
  ['/this/*/exactly', '/this/path/exactly/more', true],
  ['/allow/this/exactly$', '/allow/this/exactly', true],
  ['/allow/this/exactly$', '/allow/this/exactly/', false],
  ['/a$b', '/a$b/c', true],
  ['/fish*.php', '/fishheads/catfish.php?id=1', true],
  ['/fish*.php$', '/fish.php?x', false],
  ['/*.php$', '/folder/a.php/b.php', true],
  ['/*$', '/', true],
  ['/**a**', '/bba', true],
  ['/a*a$', '/a', false],
  ['*', '/x', true],
  ['/*?', '/a', false],
  ['/*%2F', '/a?u=%2Fb', true],
  ['/*/foo', '/a?b=/foo', true],
  // Frequent misunderstandings
  ['/fish', '/Fish', false],
  ['/fish', '/fishheads', true],
  ['/fish/', '/fish', false],
  ['fish', '/fish', false],
  ['/index.html', '/', false],
  ['/', '/index.html', true],
  ['', '/', false],
]
