/** The organization is there, and this question is one that it cannot answer. */
export class UnansweredQuestionError extends Error {
  override readonly name = 'UnansweredQuestionError';
  readonly status: number;

  constructor(status: number) {
    super(`the organization answered ${status}`);
    this.status = status;
  }
}

/** Whether a call failed for what it asked, not because the organization is out of reach. */
export function isAboutTheQuestion(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof UnansweredQuestionError && error.cause.status !== 404;
}

/** Whether the organization does not know the question: it is of the release before. */
export function isUnknownQuestion(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof UnansweredQuestionError && error.cause.status === 404;
}

/** Whether the organization refused a question for its form, before anything came of it. */
export function isMalformedQuestion(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof UnansweredQuestionError && error.cause.status === 400;
}
