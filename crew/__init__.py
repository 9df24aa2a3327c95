"""Who does the work: processes of this machine, or a Ray cluster.

A crew is given jobs and says what came of each, as it comes. A job is done by a process that may die: it is then done
again by another, so that nothing is lost and nothing is told twice.

    with crew_of(engine, partial(work, shared), size=4) as crew:
        for ended in results(crew, jobs):
            match ended:
                case Done(job, result): ...
                case Failed(job, problem): ...

Where a job follows from what came of another, use `crew.give` and `crew.take` instead of `results`.
"""
