/** Pages in the shape of Stack Overflow's questions. */
import type { Saved } from '../saved.examples.ts'

export const saved: Saved = {
  full: {
    path: 'questions/7000001/when-is-the-water-high',
    params: { order: 'scoredesc' },
    url: 'https://stackoverflow.com/questions/7000001?answertab=scoredesc',
    page: `<!DOCTYPE html><html itemscope itemtype="https://schema.org/QAPage" lang="en"><body><div id="mainbar-full">
<div id="question-header" class="d-flex"><h1 itemprop="name" class="fs-headline1"><a href="/questions/7000001/when-is-the-water-high" class="question-hyperlink">When is the water &lt;high&gt;?</a></h1></div>
<div>Asked <time itemprop="dateCreated" datetime="2026-01-02T03:04:05">2 months ago</time></div>
<div class="question js-question" data-questionid="7000001" data-score="-3" id="question"><div class="js-vote-count">-3</div>
<div class="s-prose js-post-body" itemprop="text"><p>My tide table says <code>NaN</code>:</p><pre><code>const high = moon / 0
</code></pre></div><div class="mt24"><ul class="js-post-tag-list-wrapper"><li><a href="/questions/tagged/tide" class="s-tag post-tag" rel="tag">tide</a></li>
<li><a href="/questions/tagged/moon" class="s-tag post-tag" rel="tag">moon</a></li></ul></div>
<div class="post-signature owner"><div class="user-details" itemprop="author" itemscope><a href="/users/1/ada">Ada Keel</a><span class="d-none" itemprop="name">Ada Keel</span></div></div></div>
<div id="answers"><div id="answers-header"><h2 class="mb0" data-answercount="2">2 Answers</h2></div>
<div id="answer-7000003" class="answer js-answer accepted-answer js-accepted-answer" data-answerid="7000003" data-parentid="7000001" data-score="1205" itemprop="acceptedAnswer">
<div class="answercell"><div class="s-prose js-post-body" itemprop="text"><p>Do not divide by <a href="/help">zero</a>.</p></div>
<div class="user-details">edited by <a href="/users/3/eve">Eve</a></div>
<div class="user-details" itemprop="author"><a href="/users/2/ben">Ben Buoy</a></div><time itemprop="dateCreated" datetime="2026-01-03T00:00:00"></time></div></div>
<div id="answer-7000004" class="answer js-answer" data-answerid="7000004" data-score="0" itemprop="suggestedAnswer"><div class="js-post-body">Ask the moon.</div>
<div itemprop="author"><span itemprop="name">user42</span></div></div></div></div></body></html>`,
    data: [
      {
        id: 7000001,
        title: 'When is the water <high>?',
        url: 'https://stackoverflow.com/questions/7000001/when-is-the-water-high',
        body: 'My tide table says `NaN`:\n\n```\nconst high = moon / 0\n```',
        votes: -3,
        tags: ['tide', 'moon'],
        author: 'Ada Keel',
        asked_at: '2026-01-02T03:04:05Z',
        answer_count: 2,
        answers: [
          {
            id: 7000003,
            body: 'Do not divide by [zero](https://stackoverflow.com/help).',
            votes: 1205,
            accepted: true,
            author: 'Ben Buoy',
            answered_at: '2026-01-03T00:00:00Z',
          },
          {
            id: 7000004,
            body: 'Ask the moon.',
            votes: 0,
            accepted: false,
            author: 'user42',
            answered_at: null,
          },
        ],
      },
    ],
  },
  partial: {
    path: 'questions/7',
    params: { page: 2 },
    url: 'https://stackoverflow.com/questions/7?page=2',
    page: '<a class=question-hyperlink>Why?</a><div class=question data-questionid=7 data-score=many></div>',
    data: [{ id: 7, title: 'Why?', tags: [], answers: [] }],
  },
  other: '<html><body><h1>Page not found</h1><div class="question-summary"></div></body></html>',
  refused: [
    'questions',
    'questions/tagged',
    'questions/0',
    'questions/７',
    'questions/7/a/b',
    'a/7',
    'questions/7/..',
  ],
}
