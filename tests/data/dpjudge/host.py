# The old judge's configuration.
class Host:
    dpjudgeID = 'OLDJ'
    dpjudge = "judge@old.example"
    judgekeeper = 'kay@old.example'
    dpjudgeURL = 'http://old.example/dp'
    judgePassword = 'bramble-4'   # scrambled in May
    createLimit = 12
    gameDir = hostDir + '/games'
