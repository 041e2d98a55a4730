// The replies to the last commands, also while they are under way: a command sent again is not performed again. Only the last
// reply is kept whole, because pictures and states are large, and pages decide how large.

const defaultMaxReplies = 32;

/** `lighten` leaves out of a reply what only the driver who sent the command needs. */
export function createReplyCache<Reply>(lighten: (reply: Reply) => Reply, maxReplies = defaultMaxReplies) {
  const replies = new Map<string, Promise<Reply>>();
  let last: string | undefined;

  function lightenLast(): void {
    const reply = last === undefined ? undefined : replies.get(last);
    if (last === undefined || !reply) return;
    const lighter = reply.then(lighten);
    // Who waits for the reply itself is told of its failure.
    lighter.catch(() => {});
    replies.set(last, lighter);
  }

  return {
    get: (commandId: string) => replies.get(commandId),
    /** Sent again, the command is performed. */
    forget: (commandId: string) => void replies.delete(commandId),
    keep(commandId: string, reply: Promise<Reply>): Promise<Reply> {
      lightenLast();
      last = commandId;
      replies.set(commandId, reply);
      for (const oldest of replies.keys()) {
        if (replies.size <= maxReplies) break;
        replies.delete(oldest);
      }
      return reply;
    },
  };
}
